// Numbers of a process, and their text for Prometheus (exposition format 0.0.4). By hand: three kinds of
// lines are less than what a library for them brings along, and the page reads the same numbers.

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Labels that come from outside, such as reasons, must not make a metric grow for ever: more are `other`. */
const MOST_SERIES = 500;
const OTHER = 'other';

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  lines(): readonly string[] | Promise<readonly string[]>;
}

export class Metrics {
  readonly #metrics = new Map<string, Metric>();

  counter(name: string, help: string): Counter {
    return this.#add(new Counter(name, help));
  }

  /** @param read asked at each look; when it throws, the metric is left out. */
  gauge(name: string, help: string, read: () => readonly Sample[] | Promise<readonly Sample[]>): void {
    const lines = async () => (await read()).map(({ labels, value }) => toLine(name, labels, value));
    this.#add({ name, help, type: 'gauge', lines });
  }

  /** @param bounds upper ones, ascending. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.#add(new Histogram(name, help, bounds));
  }

  async render(): Promise<string> {
    const blocks = await Promise.all([...this.#metrics.values()].map(renderMetric));
    return blocks.join('');
  }

  #add<One extends Metric>(metric: One): One {
    if (this.#metrics.has(metric.name)) throw new Error(`There is a metric ${metric.name} already`);
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}

async function renderMetric(metric: Metric): Promise<string> {
  const lines = await Promise.resolve()
    .then(() => metric.lines())
    .catch(() => []);
  if (lines.length === 0) return '';
  const { name, help, type } = metric;
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`;
}

/** One value for each set of labels. */
class Series<Value> {
  readonly #values = new Map<string, { readonly labels: Labels; value: Value }>();
  readonly #begin: () => Value;

  constructor(begin: () => Value) {
    this.#begin = begin;
  }

  at(given: Labels): { value: Value } {
    const found = this.#values.get(toLabelText(given));
    if (found !== undefined) return found;
    const isFull = this.#values.size >= MOST_SERIES;
    const labels = isFull ? Object.fromEntries(Object.keys(given).map(name => [name, OTHER])) : given;
    const key = toLabelText(labels);
    const made = this.#values.get(key) ?? { labels, value: this.#begin() };
    this.#values.set(key, made);
    return made;
  }

  all(): readonly { readonly labels: Labels; readonly value: Value }[] {
    return [...this.#values.values()];
  }
}

export class Counter implements Metric {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #series = new Series(() => 0);

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  add(labels: Labels = {}, by = 1): void {
    this.#series.at(labels).value += by;
  }

  /** Of all series that fit. */
  sum(fits: (labels: Labels) => boolean = () => true): number {
    return this.#series.all().reduce((sum, { labels, value }) => (fits(labels) ? sum + value : sum), 0);
  }

  lines(): readonly string[] {
    return this.#series.all().map(({ labels, value }) => toLine(this.name, labels, value));
  }
}

interface Buckets {
  readonly counts: number[];
  sum: number;
}

export class Histogram implements Metric {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly bounds: readonly number[];
  readonly #series: Series<Buckets>;

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.bounds = bounds;
    this.#series = new Series(() => ({ counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }));
  }

  observe(value: number, labels: Labels = {}): void {
    const { value: buckets } = this.#series.at(labels);
    const index = this.bounds.findIndex(bound => value <= bound);
    const place = index === -1 ? this.bounds.length : index;
    buckets.counts[place] = (buckets.counts[place] ?? 0) + 1;
    buckets.sum += value;
  }

  /** How many values fell into each bucket, the last one beyond all bounds; of all series together. */
  counts(): readonly number[] {
    const sums = new Array<number>(this.bounds.length + 1).fill(0);
    for (const { value } of this.#series.all())
      for (const [place, count] of value.counts.entries()) sums[place] = (sums[place] ?? 0) + count;
    return sums;
  }

  lines(): readonly string[] {
    return this.#series.all().flatMap(({ labels, value }) => {
      let seen = 0;
      const buckets = value.counts.map((count, place) => {
        seen += count;
        const bound = this.bounds[place];
        const le = bound === undefined ? '+Inf' : String(bound);
        return toLine(`${this.name}_bucket`, { ...labels, le }, seen);
      });
      return [
        ...buckets,
        toLine(`${this.name}_sum`, labels, value.sum),
        toLine(`${this.name}_count`, labels, seen),
      ];
    });
  }
}

/** Upper bound of the bucket in which the quantile `part` (0 to 1) lies; undefined for nothing counted. */
export function quantileOf(
  bounds: readonly number[],
  counts: readonly number[],
  part: number,
): number | undefined {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return undefined;
  let seen = 0;
  for (const [place, count] of counts.entries()) {
    seen += count;
    if (seen >= part * all) return bounds[place] ?? bounds.at(-1);
  }
  return bounds.at(-1);
}

function toLine(name: string, labels: Labels | undefined, value: number): string {
  const text = labels === undefined ? '' : toLabelText(labels);
  return `${name}${text} ${Number.isFinite(value) ? value : value > 0 ? '+Inf' : Number.isNaN(value) ? 'NaN' : '-Inf'}`;
}

function toLabelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
