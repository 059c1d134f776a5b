// Names of authors as people say them.

/** Return a name in natural order: bibliographies put the family first, and a comma after it. */
export function natural(name) {
  const [family, given, ...more] = name.split(/\s*[,，]\s*/);
  return given && !more.length ? (/^[\u3400-\u9fff·]+$/u.test(family + given) ? family + given : `${given} ${family}`) : name;
}

/** Return some authors in a line, and that there are more. */
export function authorsIn(authors, most = authors.length) {
  const shown = authors.slice(0, most).map(natural).join(", ");
  return authors.length > most ? `${shown} …` : shown;
}
