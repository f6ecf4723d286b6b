// Runs by itself, as another user where that can be had: somebody who may write to the drop folder and wants
// what is not his. It has nothing but node's own modules, for that user cannot read the folders of the suite.
// Ends when its input does, and tells then.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What it is told to do. */
export interface StrangerTask {
  /** Where it may write. */
  readonly drop: string;
  /** On the same file system, its own: what it takes out of the drop folder goes here. */
  readonly home: string;
  /** A folder that is nobody's business but ours. */
  readonly hidden: string;
  /** Names in there, which its own files have too. */
  readonly names: readonly string[];
  /** What such files begin with. */
  readonly canary: string;
  /**
   * Folders of the share: those it must not be able to write to, and those where
   * it looks for what it has gained.
   */
  readonly closed: readonly string[];
  readonly open: readonly string[];
  /** Folders of other droppers, which it may exchange but not change. */
  readonly others: readonly string[];
  readonly seed: number;
  /** Longest pause between two deeds. */
  readonly pauseMs: number;
  /** It runs as our own user, who may do and read all of it: only what we do ourselves is judged then. */
  readonly isOurUser: boolean;
  /** Files of its own that it makes, at most. */
  readonly mostFiles: number;
}

/** What it tells. */
export interface StrangerReport {
  readonly deeds: Readonly<Record<string, number>>;
  readonly refused: number;
  /** What it must not have been able to do. */
  readonly reached: readonly string[];
}

const FOLDERS = 6;
const LOOSE = 8;
const LONGEST_SWAP_MS = 120;
const FLICKERS = 60;
/** Programs take their time to start: such deeds come one time in so many. */
const SELDOM = 12;
const LOOK_EVERY = 200;

class Stranger {
  readonly #task: StrangerTask;
  readonly #deeds: Record<string, number> = {};
  readonly #reached = new Set<string>();
  /** Undo what was exchanged, when its time has come. */
  readonly #swapped = new Map<string, { readonly atMs: number; readonly undo: () => void }>();
  #refused = 0;
  #besides = 0;
  #made = 0;
  #state: number;

  constructor(task: StrangerTask) {
    this.#task = task;
    this.#state = task.seed;
  }

  async run(hasEnded: () => boolean): Promise<StrangerReport> {
    const deeds = this.#allDeeds();
    for (let turn = 0; !hasEnded(); turn++) {
      const [name, deed] = deeds[this.#upTo(deeds.length)] ?? ['', () => undefined];
      this.#try(name, deed);
      if (turn % LOOK_EVERY === 0) this.#lookForGains();
      this.#endSwaps(Date.now());
      // Often none at all: the other side is to be met in the middle of what it does.
      if (this.#upTo(3) > 0) await delay(this.#upTo(this.#task.pauseMs + 1));
      else await new Promise(setImmediate);
    }
    this.#endSwaps(Number.POSITIVE_INFINITY);
    this.#lookForGains();
    return { deeds: this.#deeds, refused: this.#refused, reached: [...this.#reached] };
  }

  #allDeeds(): readonly (readonly [string, () => void])[] {
    const { drop, others, hidden, isOurUser } = this.#task;
    const folder = () => join(drop, `sub-${this.#upTo(FOLDERS)}`);
    const loose = () => join(drop, `loose-${this.#upTo(LOOSE)}.pdf`);
    const fill = () => this.#fill(folder());
    return [
      ['fill a folder', fill],
      ['fill a folder', fill],
      ['fill a folder below a folder', () => this.#fill(join(folder(), 'deep'))],
      ['drop a file', () => this.#write(loose())],
      ['folder for a link', () => this.#exchange(folder(), hidden)],
      ['folder for a link', () => this.#exchange(folder(), hidden)],
      ['flickering folder', () => this.#flicker(folder())],
      ['flickering folder', () => this.#flicker(folder())],
      ['inner folder for a link', () => this.#exchange(join(folder(), 'deep'), hidden)],
      ['folder of others for a link', () => this.#exchange(others[this.#upTo(others.length)] ?? '', hidden)],
      ['file for a link', () => this.#putOver(loose(), to => fs.symlinkSync(this.#hiddenFile(), to))],
      ['file in a folder for a link', () => this.#linkInside(folder())],
      ['hard link to a file of its own', () => this.#putOver(loose(), to => fs.linkSync(this.#own(), to))],
      ['file for a pipe', () => this.#putOver(loose(), to => this.#run('mkfifo', [to]))],
      ['file for a device', () => this.#putOver(loose(), to => this.#run('mknod', [to, 'c', '1', '5']))],
      ['file over a file', () => fs.renameSync(loose(), loose())],
      ['rewrite a file', () => this.#rewrite(loose())],
      ['replace a file', () => this.#putOver(loose(), to => fs.writeFileSync(to, this.#content()))],
      ...(isOurUser ? [] : this.#deedsOfOtherUsers()),
    ];
  }

  /** Each must be refused by the system. */
  #deedsOfOtherUsers(): readonly (readonly [string, () => void])[] {
    return [
      ['hard link to a private file', () => this.#mustNot('link', to => fs.linkSync(this.#hiddenFile(), to))],
      ['reach into what is ours', () => this.#reachIn()],
    ];
  }

  #fill(folder: string): void {
    this.#stayOut(folder);
    fs.mkdirSync(folder, { recursive: true });
    const { names } = this.#task;
    this.#write(join(folder, names[this.#upTo(names.length)] ?? 'a.pdf'));
  }

  #write(path: string): void {
    if (this.#made >= this.#task.mostFiles) return;
    this.#made += 1;
    fs.writeFileSync(path, this.#content(), { flag: 'wx' });
  }

  /** For a while there is a link where the folder was. */
  #exchange(path: string, target: string): void {
    // What is in it could not be put back while it is away.
    if ([...this.#swapped.keys()].some(other => other.startsWith(path) || path.startsWith(other))) return;
    // Folders of others cannot be taken elsewhere; an ignored name beside them will do.
    const away = `${path.slice(0, path.lastIndexOf('/'))}/.away-${path.slice(path.lastIndexOf('/') + 1)}`;
    const undo = (): void => this.#comeBack(away, path);
    fs.renameSync(path, away);
    try {
      fs.symlinkSync(target, path);
    } catch (error) {
      undo();
      throw error;
    }
    const forMs = this.#upTo(4) === 0 ? this.#upTo(LONGEST_SWAP_MS) : this.#upTo(4);
    this.#swapped.set(path, { atMs: Date.now() + forMs, undo });
  }

  /**
   * Nothing may be left under an ignored name, where it would never be carried. By now the link may have been
   * claimed as a file, and another folder may be in its place: then the one that was away comes back beside
   * it.
   */
  #comeBack(away: string, path: string): void {
    try {
      fs.unlinkSync(path);
    } catch {
      // Claimed.
    }
    try {
      fs.renameSync(away, path);
    } catch {
      this.#besides += 1;
      fs.renameSync(away, `${path}-${this.#besides}`);
    }
  }

  /** There and back as fast as it goes: what looks before and after is to see the folder both times. */
  #flicker(path: string): void {
    if (this.#swapped.has(path)) return;
    for (let turn = 0; turn < FLICKERS; turn++) {
      this.#exchange(path, this.#task.hidden);
      this.#endSwaps(Number.POSITIVE_INFINITY);
    }
  }

  #rewrite(path: string): void {
    this.#stayOut(path);
    fs.writeFileSync(path, this.#content(), { flag: 'r+' });
  }

  /**
   * Through its own links it would come to what is private. Another user is refused that by the system; as
   * our own user it would do itself what only we are judged by.
   */
  #stayOut(path: string): void {
    const { drop, isOurUser } = this.#task;
    if (!isOurUser) return;
    for (let at = path; at !== drop; at = dirname(at)) {
      if (fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true)
        throw new Error('Refused, as another user is');
    }
  }

  #linkInside(folder: string): void {
    this.#stayOut(folder);
    const { names } = this.#task;
    const name = names[this.#upTo(names.length)] ?? '';
    this.#putOver(join(folder, name), to => fs.symlinkSync(join(this.#task.hidden, name), to));
  }

  /** In one step: whoever looks sees the one or the other. */
  #putOver(path: string, make: (to: string) => void): void {
    const made = join(this.#task.home, `made-${this.#upTo(1_000_000)}`);
    make(made);
    try {
      fs.renameSync(made, path);
    } catch (error) {
      fs.rmSync(made, { force: true });
      throw error;
    }
  }

  #own(): string {
    const path = join(this.#task.home, 'own.pdf');
    fs.writeFileSync(path, this.#content());
    return path;
  }

  #hiddenFile(): string {
    const { hidden, names } = this.#task;
    return join(hidden, names[this.#upTo(names.length)] ?? '');
  }

  #reachIn(): void {
    const { closed } = this.#task;
    const folder = closed[this.#upTo(closed.length)] ?? '';
    if (this.#upTo(2) === 0)
      this.#mustNot(`write to ${folder}`, () => fs.writeFileSync(join(folder, 'x'), 'x'));
    else this.#mustNot(`move ${folder}`, () => fs.renameSync(folder, join(this.#task.home, 'taken')));
  }

  /** Finds what it could read by now that it must not. */
  #lookForGains(): void {
    if (this.#task.isOurUser) return;
    for (const root of this.#task.open) {
      for (const path of walk(root)) {
        try {
          // A file is read, whatever leads to it; a pipe would never end.
          if (!fs.statSync(path).isFile()) continue;
          if (fs.readFileSync(path, 'latin1').includes(this.#task.canary)) this.#reached.add(`read ${path}`);
        } catch {
          // Not for it, or gone.
        }
      }
    }
  }

  #mustNot(what: string, deed: (to: string) => void): void {
    deed(join(this.#task.drop, `gained-${this.#upTo(1_000_000)}.pdf`));
    this.#reached.add(what);
  }

  #endSwaps(nowMs: number): void {
    // The last one first: an inner folder is there only while the outer one is.
    for (const [path, { atMs, undo }] of [...this.#swapped].reverse()) {
      if (atMs > nowMs) continue;
      this.#swapped.delete(path);
      this.#try('back again', undo);
    }
  }

  #try(name: string, deed: () => void): void {
    try {
      deed();
      this.#deeds[name] = (this.#deeds[name] ?? 0) + 1;
    } catch {
      this.#refused += 1;
    }
  }

  #run(program: string, args: readonly string[]): void {
    if (this.#upTo(SELDOM) > 0) return;
    if (spawnSync(program, args, { stdio: 'ignore' }).status !== 0) throw new Error(program);
  }

  #content(): string {
    return `%PDF of a stranger ${this.#upTo(1_000_000_000)}${' '.repeat(this.#upTo(64))}`;
  }

  /** 0 <= x < limit, by the seed. (mulberry32, as everywhere in the suite) */
  #upTo(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }
}

function walk(folder: string): string[] {
  try {
    return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => join(folder, name));
  } catch {
    return [];
  }
}

async function main(task: StrangerTask): Promise<void> {
  let hasEnded = false;
  process.stdin.resume();
  process.stdin.once('end', () => {
    hasEnded = true;
  });
  const report = await new Stranger(task).run(() => hasEnded);
  process.stdout.write(JSON.stringify(report));
}

if (require.main === module) void main(JSON.parse(process.argv[2] ?? '{}') as StrangerTask);
