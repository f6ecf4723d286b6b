// Reads the text that metrics.ts writes (Prometheus' exposition format 0.0.4): names, labels, values.

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Lines of another form, such as comments, and values that are not finite are left out. */
export function parseSamples(text: string): readonly ReadSample[] {
  return text.split('\n').flatMap(line => {
    const [, name, labels = '', given = ''] = LINE.exec(line) ?? [];
    const value = Number(given);
    if (name === undefined || !Number.isFinite(value)) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, label = '', quoted = '']) => [label, toPlain(quoted)]);
    return [{ name, labels: Object.fromEntries(pairs), value }];
  });
}

function toPlain(quoted: string): string {
  return quoted.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
}
