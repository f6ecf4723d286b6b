// The part `rate-limits`: several processes on one account, both windows on. The judge is the
// stand-in's log: nobody sends while a window is spent, nobody is refused, and little of what
// the windows allow is left unused.
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { type RateCaseResult, runCallers, runWorkers, type Windows } from './rate-cases';

/**
 * 25 requests in a while, and an hour that is spent before its end: 600 where the
 * shorter window would allow 750.
 */
const LONG_WINDOWS: Windows = { spike: 25, spikeMs: 2_000, hourly: 600, hourMs: 60_000 };
const SHORT_WINDOWS: Windows = { spike: 40, spikeMs: 2_000, hourly: 360, hourMs: 20_000 };

interface RateCase {
  readonly name: string;
  /** The longest that it may take, over what the windows allow. */
  readonly most: number;
  run(options: PartOptions): Promise<RateCaseResult>;
}

const CASES: Readonly<Record<PartOptions['form'], readonly RateCase[]>> = {
  short: [callersCase(200), workersCase('4 workers', 100, SHORT_WINDOWS, 1.5)],
  long: [
    callersCase(2_000),
    workersCase('4 workers', 1_000, LONG_WINDOWS, 1.05),
    workersCase('4 workers, each killed once', 300, LONG_WINDOWS, 1.5),
  ],
};

export const rateLimits: ChaosPart = {
  name: 'rate-limits',
  about: 'processes that share an account keep to both windows of its rate limit, and use them',
  needs: 'the machine for itself',
  run: runRateLimits,
};

async function runRateLimits(options: PartOptions): Promise<PartResult> {
  const cases = CASES[options.form].filter(({ name }) => name.includes(options.only ?? ''));
  const figures: Record<string, number | string> = {};
  const violations: Violation[] = [];
  for (const each of cases) {
    const result = await each.run(options);
    violations.push(...result.violations, ...findSlowness(each, result));
    figures[each.name] = describe(result);
    options.say(`${each.name}: ${describe(result)}`);
  }
  return { cases: cases.length, violations, figures };
}

function callersCase(requests: number): RateCase {
  const name = '4 callers, killed and started again';
  // What the killed had permits for counts as sent until the window ends; that is
  // the price of never being refused.
  return {
    name,
    most: 2,
    run: options => runCallers({ name, windows: SHORT_WINDOWS, requests }, options),
  };
}

function workersCase(name: string, documents: number, windows: Windows, most: number): RateCase {
  const kills = name.includes('killed');
  return { name, most, run: options => runWorkers({ name, documents, windows, kills }, options) };
}

function findSlowness({ name, most }: RateCase, { pace }: RateCaseResult): Violation[] {
  const over = pace.tookMs / pace.allowedMs;
  if (over <= most) return [];
  return [
    {
      invariant: `takes at most ${most} of the time that the limit allows`,
      case: name,
      what: `it took ${over.toFixed(3)}`,
    },
  ];
}

function describe({ pace, refused, kills }: RateCaseResult): string {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  return [
    `${pace.requests} requests in ${pace.windows} windows`,
    `${seconds(pace.tookMs)} s, ${seconds(pace.allowedMs)} s allowed (${(pace.tookMs / pace.allowedMs).toFixed(3)})`,
    `${((100 * pace.allowedMs) / Math.max(1, pace.tookMs)).toFixed(1)} % used`,
    `${refused} answers 429`,
    ...(kills > 0 ? [`${kills} kills`] : []),
  ].join(', ');
}
