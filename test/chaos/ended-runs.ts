// The part `ended-runs`: a batch's run is terminated or cancelled at every boundary of one group while a
// request of another group is in flight, and `resume` goes on with it. Temporal then dispatches again, with
// its old input, what the run before had asked for: nothing may be lost or doubled for that, and no receipt
// may blame people for our own deeds.
import {
  EndedRunBed,
  type EndedRunCase,
  type EndedRunResult,
  type Ending,
  type LetGo,
  nameOf,
} from './ended-run-bed';
import { PLAYS, type Play } from './ended-run-plays';
import { inTurns } from './fault-turns';
import { createChance, shuffle } from './kill-points';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';

const ENDINGS: readonly Ending[] = ['terminate', 'cancel'];
const LET_GO: readonly LetGo[] = ['before the worker goes on', 'with the new run', 'at the end'];
const SHORT_CASES = 4;
const SHORT_BEDS = 2;
/** Where the short form looks: most plays have at least so many boundaries. */
const SHORT_BOUNDARIES = 14;
/** Once may be a busy machine, on which the other group stood still for too long. */
const MISSES_THAT_END = 2;
const MOST_BOUNDARIES = 80;
/** The judge reads everything on a bed each time. */
const CASES_A_BED = 30;

export const endedRuns: ChaosPart = {
  name: 'ended-runs',
  about: 'terminate or cancel at every boundary with a request in flight in another group, then resume',
  run: runEndedRuns,
};

/** One after the other, until boundaries or numbers are at an end. */
interface Series {
  readonly play: Play;
  readonly ending: Ending;
  readonly boundaries: readonly number[];
}

async function runEndedRuns(options: PartOptions): Promise<PartResult> {
  const { form, seed, only = '' } = options;
  const chance = createChance(seed);
  const tally = new Tally(options);
  const pairs = PLAYS.flatMap(play => ENDINGS.map(ending => ({ play, ending }))).filter(({ play, ending }) =>
    `${ending}, ${play.name}`.includes(only),
  );
  const wanted = form === 'long' ? pairs.map(toWhole) : toSample(pairs, chance);
  const atOnce = form === 'long' ? options.atOnce : SHORT_BEDS;
  const shares = Array.from({ length: atOnce }, (_, bed) => wanted.filter((_, at) => at % atOnce === bed));
  await inTurns(shares, atOnce, async mine => {
    const beds = new Beds(options);
    try {
      for (const series of mine) await runSeries(series, beds, chance, tally);
    } finally {
      await beds.close();
    }
  });
  return tally.result();
}

function toWhole(pair: Omit<Series, 'boundaries'>): Series {
  return { ...pair, boundaries: Array.from({ length: MOST_BOUNDARIES }, (_, index) => index + 1) };
}

/** Each a case of its own, at a boundary of chance. */
function toSample(pairs: readonly Omit<Series, 'boundaries'>[], chance: () => number): Series[] {
  return shuffle(pairs, chance)
    .slice(0, SHORT_CASES)
    .map(pair => ({ ...pair, boundaries: [1 + Math.floor(chance() * SHORT_BOUNDARIES)] }));
}

async function runSeries(
  { play, ending, boundaries }: Series,
  beds: Beds,
  chance: () => number,
  tally: Tally,
): Promise<void> {
  let missed = 0;
  for (const boundary of boundaries) {
    const one: EndedRunCase = {
      play,
      ending,
      boundary,
      letGo: LET_GO[Math.floor(chance() * LET_GO.length)] ?? 'at the end',
      isLateToLearn: chance() < 0.5,
    };
    const result = await beds.run(one);
    tally.add(one, result);
    missed = result.reached === undefined && result.violations.length === 0 ? missed + 1 : 0;
    if (missed === MISSES_THAT_END) return;
  }
}

/** A bed for many cases; another one when something was found on it. */
class Beds {
  readonly #options: PartOptions;
  #bed: EndedRunBed | undefined;
  #cases = 0;

  constructor(options: PartOptions) {
    this.#options = options;
  }

  async run(one: EndedRunCase): Promise<EndedRunResult> {
    this.#bed ??= await EndedRunBed.open(this.#options);
    const result = await this.#bed.run(one);
    this.#cases += 1;
    if (result.violations.length > 0 || this.#cases >= CASES_A_BED) await this.close();
    return result;
  }

  async close(): Promise<void> {
    this.#cases = 0;
    await this.#bed?.close();
    this.#bed = undefined;
  }
}

class Tally {
  readonly #options: PartOptions;
  readonly #violations: Violation[] = [];
  readonly #reached = new Map<Ending, Set<string>>();
  #cases = 0;
  #ended = 0;

  constructor(options: PartOptions) {
    this.#options = options;
  }

  add(one: EndedRunCase, { reached, violations }: EndedRunResult): void {
    this.#cases += 1;
    if (reached !== undefined) {
      this.#ended += 1;
      const seen = this.#reached.get(one.ending) ?? new Set();
      this.#reached.set(one.ending, seen.add(`${one.play.name}: ${reached}`));
    }
    this.#violations.push(...violations);
    const where = `${nameOf(one)} (${reached ?? 'not so many'}), held until ${one.letGo}`;
    for (const { invariant, what } of violations) this.#options.say(`  ${where}: ${invariant}: ${what}`);
    if (this.#cases % 20 === 0) this.#options.say(`  ${this.#cases} cases, ${this.#ended} runs ended`);
  }

  result(): PartResult {
    const none = { invariant: 'a run is ended', case: 'all', what: 'No boundary was reached.' };
    return {
      cases: this.#cases,
      violations: [...this.#violations, ...(this.#ended === 0 ? [none] : [])],
      figures: {
        'runs ended at a boundary and gone on with': this.#ended,
        ...Object.fromEntries(
          ENDINGS.map(ending => [`different boundaries, ${ending}`, this.#reached.get(ending)?.size ?? 0]),
        ),
      },
    };
  }
}
