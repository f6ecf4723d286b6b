// A question may be a column that was copied out of a sheet. Pure.

const MOST = 100;
const LONGEST = 200;

/** One for each line or cell, each once. */
export function splitQuestion(text: string): readonly string[] {
  const parts = text.split(/[\r\n\t;]+/).map(part => part.trim().slice(0, LONGEST));
  return [...new Set(parts.filter(part => part !== ''))].slice(0, MOST);
}
