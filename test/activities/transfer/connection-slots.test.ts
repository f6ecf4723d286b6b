import { ConnectionSlots } from '../../../activities/transfer/connection-slots';

const never = new AbortController().signal;

test('at most so many work at once, in the order they came', async () => {
  const slots = new ConnectionSlots(2);
  const begun: number[] = [];
  let atOnce = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 9 }, (_, index) =>
      slots.use(never, async () => {
        begun.push(index);
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise(setImmediate);
        atOnce -= 1;
      }),
    ),
  );
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(most).toBe(2);
});

test('a slot comes back when its work fails', async () => {
  const slots = new ConnectionSlots(1);
  const failed = new Error('failed');
  await expect(slots.use(never, () => Promise.reject(failed))).rejects.toBe(failed);
  await expect(slots.use(never, async () => 'next')).resolves.toBe('next');
});

test('a slot comes back when its user is ended while at work', async () => {
  const slots = new ConnectionSlots(1);
  const abort = new AbortController();
  const ended = slots.use(abort.signal, async () => abort.abort(new Error('enough')));
  await expect(ended).resolves.toBeUndefined();
  await expect(slots.use(never, async () => 'next')).resolves.toBe('next');
});

test('who gives up waiting takes no slot with it', async () => {
  const slots = new ConnectionSlots(1);
  const abort = new AbortController();
  const reason = new Error('enough');
  let release: () => void = () => undefined;
  const first = slots.use(never, () => new Promise<void>(resolve => (release = resolve)));
  const second = slots.use(abort.signal, async () => 'never');
  abort.abort(reason);
  await expect(second).rejects.toBe(reason);
  await expect(slots.use(abort.signal, async () => 'never')).rejects.toBe(reason);
  release();
  await first;
  await expect(slots.use(never, async () => 'next')).resolves.toBe('next');
});
