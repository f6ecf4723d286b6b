// What somebody plants among our open batches who can write there and knows everything but the key:
// folders that say they are claims, batches or receipts, more of them than a share may have open, and
// marks in the batches of others.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { hashOf } from './neighbour-oracle';

const AT = '2026-01-31T09:30:00.000Z';
const TEMPORAL = { id: 'planted', namespace: 'planted', address: 'planted:1', host: 'planted' };
const CLAIM = {
  claimId: 'planted',
  watcherId: 'planted',
  host: 'elsewhere',
  pid: 1,
  processStart: '1',
  claimedAt: AT,
};
/** Well above what may be open on a share at one time. */
const AT_FIRST = 24;
/** One in so many turns. */
const NOW_AND_THEN = 10;
const MOST = 400;
const SEALED = ['batch.json', 'claim.json', 'wanted.json'];

export class PlantedFolders {
  /** SHA-256 of the files in them: none may reach the service. */
  readonly hashes: string[] = [];
  readonly #own: string;
  readonly #files = new Map<string, string>();
  #turn = 0;

  /** @param root the share's folder. */
  constructor(root: string) {
    this.#own = join(root, '.drawbridge');
  }

  /** Before anything of the product runs. */
  plantAll(): void {
    for (let each = 0; each < AT_FIRST; each++) this.#plant();
    this.plantMarks([...this.#files.keys()]);
  }

  plantOneNowAndThen(): void {
    this.#turn += 1;
    if (this.#turn % NOW_AND_THEN === 0 && this.#files.size < MOST) this.#plant();
  }

  /** That another Temporal has a batch, that nobody runs it, and that another one watches. */
  plantMarks(batchIds: readonly string[]): void {
    for (const batchId of batchIds) {
      const hold = { temporal: TEMPORAL, workflowId: 'planted', runId: 'planted', since: AT };
      this.#write(join('batches', batchId, 'hold.json'), hold);
      this.#write(join('batches', batchId, 'stopped.json'), { outcome: 'failed', at: AT });
    }
    this.#write('watch.json', { temporal: TEMPORAL, since: AT });
  }

  /** Also what is left of a batch that was given back while somebody put a mark into it. */
  has(batchId: string): boolean {
    const folder = join(this.#own, 'batches', batchId);
    return this.#files.has(batchId) || !['files', ...SEALED].some(name => existsSync(join(folder, name)));
  }

  /** Folders whose file is not where it was planted, as it was planted. */
  findTouched(): string[] {
    return [...this.#files].flatMap(([batchId, content]) => {
      const path = join(this.#own, 'batches', batchId, 'files/planted.pdf');
      return existsSync(path) && readFileSync(path, 'utf8') === content ? [] : [batchId];
    });
  }

  #plant(): void {
    const at = this.#files.size;
    const letters = [at >> 10, at >> 5, at].map(part => String.fromCharCode(97 + (part % 26))).join('');
    const batchId = `20260131-0930${String(at % 60).padStart(2, '0')}-aaa${letters}`;
    const content = `%PDF planted ${at}`;
    const folder = join(this.#own, 'batches', batchId);
    mkdirSync(join(folder, 'files'), { recursive: true });
    writeFileSync(join(folder, 'files', 'planted.pdf'), content);
    this.#files.set(batchId, content);
    this.hashes.push(hashOf(content));
    const project = at % 2 === 0 ? DEFAULT_PROJECTS.plain : '999';
    const ways: readonly (() => void)[] = [
      () => this.#write(join('batches', batchId, 'claim.json'), CLAIM),
      () => this.#writeManifest(batchId, content, project),
      () => undefined,
      () => {
        this.#writeManifest(batchId, content, project);
        this.#write(join('batches', batchId, 'receipt.json'), { batchId, final: true });
      },
      () => this.#copySealsTo(folder),
    ];
    ways[at % ways.length]?.();
  }

  /** What is sealed, but of another batch. */
  #copySealsTo(folder: string): void {
    const batches = join(this.#own, 'batches');
    const other = readdirSync(batches).find(
      name => !this.#files.has(name) && existsSync(join(batches, name, 'claim.json')),
    );
    for (const name of other === undefined ? [] : SEALED) {
      try {
        cpSync(join(batches, other ?? '', name), join(folder, name));
      } catch {
        // Gone, or not there yet.
      }
    }
  }

  #writeManifest(batchId: string, content: string, projectId: string): void {
    const manifest = {
      batchId,
      share: 'tender',
      project: { companyId: DEFAULT_COMPANY_ID, projectId },
      createdAt: AT,
      files: [
        {
          index: 0,
          path: 'planted.pdf',
          sizeBytes: content.length,
          mtimeNs: '1769851800000000000',
          mimeType: 'application/pdf',
          values: {},
          sha256: hashOf(content),
        },
      ],
    };
    const seal = createHash('sha256')
      .update(JSON.stringify({ version: 1, ...manifest }))
      .digest('hex');
    this.#write(join('batches', batchId, 'batch.json'), { ...manifest, seal, sealedBy: 'guessed' });
  }

  #write(name: string, content: object): void {
    try {
      writeFileSync(join(this.#own, name), JSON.stringify({ version: 1, ...content }), { flag: 'wx' });
    } catch {
      // Said already by those who have it, or gone.
    }
  }
}
