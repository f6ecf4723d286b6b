// Ids of Step 4 that changed places: every upload ends with the bytes of the file that it was made for, or is
// told of.
import type { LinkUploadsResult, ReadUploadsInput } from '../../../activities';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { runBatch } from '../run-batch';

const temporal = useNamespace();

/**
 * A service that made its uploads for other files than it said: for the n-th file of the request, `order[n]`.
 */
class ConfusedWorld extends FakeWorld {
  /** Whose bytes lie under an upload now. */
  readonly bytes = new Map<string, number>();
  /** The request of Step 4 that was answered in the wrong order: the first. */
  readonly #order: readonly number[];
  refuseRelinks: LinkUploadsResult['kind'] | undefined;
  /** Uploads that people could see, and that were linked to a file they were not made for. */
  readonly wronglyRelinked: string[] = [];

  constructor(order: readonly number[]) {
    super(order.length);
    this.#order = order;
    this.onLink = ({ items }) => {
      const isRelink = items.some(({ uploadId }) => this.bytes.has(uploadId));
      if (isRelink && this.refuseRelinks === 'refused') return { kind: 'refused', refusals: [] };
      if (isRelink && this.refuseRelinks === 'failed') return { kind: 'failed' };
      for (const { index, uploadId } of items) {
        if (this.bytes.has(uploadId) && this.madeFor(uploadId) !== index) this.wronglyRelinked.push(uploadId);
        this.bytes.set(uploadId, index);
      }
      for (const { uploadId } of items) this.uploads.get(uploadId)!.completed = true;
      return { kind: 'answered', linked: items.map(({ index }) => index), failed: [], missing: [] };
    };
    this.onRead = (index, uploadId) => {
      const owner = this.madeFor(uploadId);
      return owner === index ? {} : { pairing: { others: [owner] } };
    };
  }

  madeFor(uploadId: string): number {
    const { index } = this.uploads.get(uploadId)!;
    const first = [...this.uploads.values()].slice(0, this.#order.length);
    return first.some(({ id }) => id === uploadId) ? (this.#order[index] ?? index) : index;
  }

  /** Uploads that anybody can see with the bytes of another file. */
  get left(): string[] {
    return [...this.uploads.values()].flatMap(({ id, completed, consumed }) =>
      completed && !consumed && this.madeFor(id) !== this.bytes.get(id) ? [id] : [],
    );
  }

  expectRightRevisions(count: number): void {
    const consumed = [...this.uploads.values()].filter(upload => upload.consumed);
    expect(consumed).toHaveLength(count);
    for (const { id, revisionId } of consumed) {
      expect(this.bytes.get(id)).toBe(this.madeFor(id));
      expect(revisionId).toBe(`R-${this.madeFor(id)}-${id}`);
    }
  }
}

async function finish(world: FakeWorld): Promise<unknown> {
  return await runBatch(temporal, world, async ({ handle }) => await handle.result());
}

test.each([
  ['two', [1, 0, 2]],
  ['all, one further each', [1, 2, 3, 4, 5, 0]],
  ['three and two', [2, 0, 1, 4, 3]],
])(
  'ids that changed places (%s) are put right in one round, and nothing is left behind',
  async (_, order) => {
    const world = new ConfusedWorld(order);
    expect(await finish(world)).toMatchObject({ submitted: order.length, setApart: 0 });
    world.expectRightRevisions(order.length);
    expect(world.left).toEqual([]);
    expect(world.count('createUploads')).toBe(1);
    expect(world.count('linkUploads')).toBe(2);
  },
);

test('seen only after a link without a response, they are sent anew before anybody is tried for all', async () => {
  const world = new ConfusedWorld([1, 0]);
  const { onLink } = world;
  world.onLink = (input, call) => {
    const result = onLink(input, call);
    return call === 1 ? { kind: 'failed' } : result;
  };
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  world.expectRightRevisions(2);
  expect(world.left).toEqual([]);
});

test('also between one that is read at once and one whose analysis is waited for', async () => {
  const world = new ConfusedWorld([1, 0]);
  world.needsAnalysis = index => index === 1;
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  world.expectRightRevisions(2);
  expect(world.left).toEqual([]);
});

test('where only some are read at once, the others are looked at before any upload is given to another file', async () => {
  const world = new ConfusedWorld([1, 2, 3, 0]);
  world.needsAnalysis = index => index % 2 === 1;
  expect(await finish(world)).toMatchObject({ submitted: 4, setApart: 0 });
  world.expectRightRevisions(4);
  expect(world.wronglyRelinked).toEqual([]);
  expect(world.left).toEqual([]);
  expect(world.count('createUploads')).toBe(1);
});

test('a file that has its own upload is not given another one that was made for it', async () => {
  const world = new ConfusedWorld([0, 1]);
  // Both uploads were made for the second file, as when it was sent by two runs.
  world.madeFor = () => 1;
  world.needsAnalysis = index => index === 1;
  let isPollLate = true;
  world.onRead = index => {
    const { poll } = world.calls.at(-1)!.input as ReadUploadsInput;
    // Else it is seen by its own look, before anybody asks whose upload it has.
    if (poll !== undefined && isPollLate) {
      isPollLate = false;
      throw new Error('away for a moment');
    }
    return world.uploads.size > 2 || index === 1 ? {} : { pairing: { others: [1] } };
  };
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  const [first, second] = world.uploads.keys();
  expect(world.final.outcomes[0]?.notes).toEqual([expect.stringContaining(`Upload ${first}`)]);
  expect(world.final.outcomes[1]).toMatchObject({ revisionId: `R-1-${second}` });
  expect(world.count('createUploads')).toBe(2);
});

test.each(['refused', 'failed'] as const)(
  'where a file cannot be put in the place of another (%s), uploads are made anew and the old ones told of',
  async kind => {
    const world = new ConfusedWorld([1, 0, 2]);
    world.refuseRelinks = kind;
    expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
    world.expectRightRevisions(3);
    const notes = world.final.outcomes.flatMap(({ notes }) => notes ?? []);
    expect(world.left).toHaveLength(2);
    for (const id of world.left) expect(notes.filter(note => note.includes(id))).toHaveLength(1);
  },
);

test('what never comes right is set apart: foreign bytes are never submitted', async () => {
  const world = new ConfusedWorld([0, 1]);
  world.onRead = index => (index === 0 ? { pairing: { others: [] } } : {});
  expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
  expect(world.final.outcomes[0]).toMatchObject({ reason: { code: 'name-mismatch' } });
  const mine = [...world.uploads.values()].filter(({ index }) => index === 0);
  expect(world.final.outcomes[0]?.notes).toEqual(
    mine.map(({ id }) => expect.stringContaining(`Upload ${id} `)),
  );
});

test('where a file cannot be sent again, the upload that keeps another one is told of', async () => {
  const world = new ConfusedWorld([1, 0, 2]);
  const reason = { code: 'file-changed', text: 'It was changed.', fix: 'Drop it again.' };
  world.onTransfer = ({ indexes }) => {
    const isAgain = world.bytes.size > 0 && indexes.includes(0);
    return {
      files: indexes
        .filter(index => !isAgain || index !== 0)
        .map(index => ({ index, fileUploadId: `F${index}` as never, openedAtMs: Date.now() })),
      refused: isAgain ? [{ index: 0, reason }] : [],
    };
  };
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
  const { notes = [], ...outcome } = world.final.outcomes.find(({ index }) => index === 0) ?? {};
  expect(outcome).toMatchObject({ reason: { code: 'file-changed' } });
  expect(world.left).toHaveLength(1);
  expect(notes).toEqual([expect.stringContaining(`Upload ${world.left[0]} `)]);
});
