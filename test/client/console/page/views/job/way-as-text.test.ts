// The way of a document, as text that is copied.
import type { RowDetail } from '../../../../../../client/console/contract/jobs';
import { wayAsText } from '../../../../../../client/console/page/views/job/way-as-text';

const step = (at: string | null, text: string, hasHappened: boolean) => ({
  at,
  text,
  hasHappened,
  detail: null,
  outcome: null,
});

test('what has not happened is told as what comes next, and its time as the latest', () => {
  const way = [
    step('2026-11-20T10:00:00.000Z', 'Held', true),
    step('2026-11-27T10:00:00.000Z', 'Set apart', false),
    step(null, 'Submitted', false),
  ];
  const detail = { number: 'A-1', revision: 'P01', file: 'A-1.pdf', way } as unknown as RowDetail;
  expect(wayAsText(detail, { locale: 'en-GB', zone: 'UTC', hour: 'h24' })).toBe(
    [
      'A-1 P01',
      '2026-11-20T10:00:00.000Z (10:00)  Held',
      'by 2026-11-27T10:00:00.000Z (10:00)  Then: Set apart',
      'Then: Submitted',
    ].join('\n'),
  );
});
