import type { Client } from '@temporalio/client';
import { gapsOf, sayWhyLate } from './longest-waits';

const at = (seconds: number) => ({ eventTime: { seconds: seconds as never, nanos: 0 } });
const id = (number: number) => number as never;

test('a gap is told by what it ended with', () => {
  const events = [
    { eventId: id(1), ...at(0), eventType: 1 },
    {
      eventId: id(2),
      ...at(1),
      activityTaskScheduledEventAttributes: { activityType: { name: 'settleUp' } },
    },
    { eventId: id(3), ...at(2), timerStartedEventAttributes: { startToFireTimeout: { seconds: id(60) } } },
    { eventId: id(4), ...at(62), timerFiredEventAttributes: { startedEventId: id(3) } },
    {
      eventId: id(5),
      ...at(362),
      activityTaskStartedEventAttributes: {
        scheduledEventId: id(2),
        attempt: 2,
        lastFailure: { message: 'activity StartToClose timeout' },
      },
    },
    { eventId: id(6), ...at(381), eventType: 12 },
    { eventId: id(7), ...at(401), eventType: 26 },
  ];
  expect(gapsOf(events).map(({ what }) => what)).toEqual([
    '60 s until a timer of 60 s fired',
    '300 s until attempt 2 of settleUp ended, after "activity StartToClose timeout"',
    '20 s until event 7, of type 26',
  ]);
});

test('nothing is told of a history without a wait', () => {
  expect(gapsOf([])).toEqual([]);
  expect(gapsOf([{ ...at(0) }, { ...at(19) }])).toEqual([]);
});

describe('a case', () => {
  const unreadable = {
    workflow: {
      list: () => {
        throw new Error('gone');
      },
    },
  } as unknown as Client;
  const said: string[] = [];
  const options = { say: (line: string) => void said.push(line) };
  beforeEach(() => said.splice(0));

  test('that ended in time is not looked at', async () => {
    await sayWhyLate({ isLate: false, afterMs: 1 }, 'share', unreadable, options);
    expect(said).toEqual([]);
  });

  test.each([
    ['late', { isLate: true, afterMs: 1 }],
    ['never', { isLate: false, afterMs: undefined }],
  ])('that ended %s is judged all the same where its runs cannot be read', async (_how, ending) => {
    await sayWhyLate(ending, 'share', unreadable, options);
    expect(said).toEqual(['share: late. Its runs cannot be read: Error: gone']);
  });
});
