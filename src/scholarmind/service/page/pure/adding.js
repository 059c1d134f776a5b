// Files that are added together: how far each of them is, and why one was left out.

const about = (problem) => [problem.reason, problem.advice].filter(Boolean).join(" ");
const isOf = (problem, name) => problem.where === name || (problem.where.startsWith(name) && /^[,:]/.test(problem.where.slice(name.length)));

/**
 * Return each file of a batch with how it stands: {name, state, reason}. While files are sent, those that are gone are told by how many
 * bytes are; while they are read, only how many of them are is known; when that is over, each that has a problem says which. What could
 * be used in part is "partial", what could not be used is "failed".
 */
export function filesOf({ names, sizes, sent, job, trouble }) {
  const { report } = job ?? {};
  const whole = (sizes ?? []).reduce((sum, size) => sum + size, 0);
  const broken = trouble || ["failed", "cancelled"].includes(job?.state);
  let upTo = 0;
  return names.map((name, index) => {
    upTo += sizes?.[index] ?? 0;
    const problems = report?.problems.filter((each) => isOf(each, job.files[index] ?? name)) ?? [];
    if (problems.length) return { name, state: problems.every((each) => each.lasting) ? "partial" : "failed", reason: problems.map(about).join(" ") };
    const state = broken ? "failed" : report ? "answered" : job || sent * whole >= upTo ? "searching" : "waiting";
    return { name, state, reason: "" };
  });
}

/** Return the problems of a batch that are of none of its files. */
export const otherProblems = ({ names, job }) =>
  (job?.report?.problems ?? []).filter((each) => !names.some((name, index) => isOf(each, job.files[index] ?? name)));
