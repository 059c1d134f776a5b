// Questions that a library could be asked, made from what its own documents are called.

/** Return a short name of a document, or null: what it is called elsewhere, or what its title begins with. */
export function nameOf(document) {
  const alias = document.metadata?.aliases?.[0];
  const before = /^([^:：]{2,28})[:：]/.exec(document.title ?? "")?.[1]?.trim();
  return [alias, before].find((name) => name && name.length <= 28 && !/[\u0000-\u001f\u200b-\u200f\u202a-\u202e\u2066-\u2069<>]/.test(name)) ?? null;
}

/** Return up to three questions about named documents; always the same for the same documents, another choice for another `turn`. */
export function examples(documents, t, turn = 0) {
  const names = [...new Set(documents.map(nameOf).filter(Boolean))];
  const titled = documents.filter((each) => each.title && each.title.length <= 90);
  if (names.length < 3) {
    return titled.slice(0, 3).map((each, index) => t(["example.title.1", "example.title.2", "example.title.1"][index], { title: each.title }));
  }
  const pick = (index) => names[(index * 7 + turn * 3) % names.length];
  const [a, b, c, d, e] = [0, 1, 2, 3, 4].map(pick);
  return [t("example.1", { a, b }), t("example.2", { a: c, b: d }), t("example.3", { a: e })];
}
