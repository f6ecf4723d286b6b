// What the service said when it refused something, for people: "can't be blank." says nothing without its
// field.

interface Said {
  readonly message: string;
  readonly property?: string | undefined;
}

/**
 * Each thing once, with the field it is about in front unless the words name it themselves; at most `most`.
 */
export function describeRefusals(reasons: readonly Said[], most = 5): readonly string[] {
  const texts = reasons.map(({ message, property = '' }) => {
    const isNamed = property === '' || toWords(message).includes(toWords(property));
    return isNamed ? message : [property, message].filter(text => text !== '').join(': ');
  });
  return [...new Set(texts)].filter(text => text !== '').slice(0, most);
}

/** `due_date` is named by "Due date is over", `a` is not named by "invalid". */
function toWords(text: string): string {
  return ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `.replace(/\s+/g, ' ');
}
