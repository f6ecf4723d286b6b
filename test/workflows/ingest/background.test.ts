// What goes on in the background is waited for, its failure is not lost, and what comes back is carried on in
// turn.
import { setImmediate as turn } from 'node:timers/promises';
import { Background } from '../../../workflows/ingest/background';
import { DocumentState } from '../../../workflows/ingest/document-state';
import { FakeWorld } from '../fake-activities';

function documents(): readonly DocumentState[] {
  return new FakeWorld(2).documents.map(document => new DocumentState(document));
}

test('each end is told once, also one that came before it was waited for, and none is left at last', async () => {
  const background = new Background();
  let end = (): void => undefined;
  background.run(Promise.resolve());
  background.run(
    new Promise<void>(resolve => {
      end = resolve;
    }),
  );
  await turn();
  expect(await background.untilAnotherEnds(0)).toBe(true);
  const next = background.untilAnotherEnds(1);
  end();
  expect(await next).toBe(true);
  expect(await background.untilAnotherEnds(2)).toBe(false);
});

test('a failure is thrown at once, though others go on', async () => {
  const background = new Background();
  background.run(new Promise<void>(() => undefined));
  const next = background.untilAnotherEnds(0);
  background.run(Promise.reject(new RangeError('lost')));
  await expect(next).rejects.toThrow('lost');
});

test('what is handed back is carried on in the order in which it came, also before the batch asks', async () => {
  const background = new Background();
  const [first, second] = documents() as [DocumentState, DocumentState];
  const returned = [background.handBack([first]), background.handBack([second])];
  for (const state of [first, second]) {
    const next = await background.nextHandedBack();
    expect(next.documents).toEqual([state]);
    next.begin(async () => undefined);
  }
  await Promise.all(returned.flatMap(({ begun, ended }) => [begun, ended]));
});

test('whoever handed documents back is told of a failure to carry them on', async () => {
  const background = new Background();
  const asked = background.nextHandedBack();
  const { begun, ended } = background.handBack(documents());
  (await asked).begin(async () => {
    throw new RangeError('lost');
  });
  await begun;
  await expect(ended).rejects.toThrow('lost');
});
