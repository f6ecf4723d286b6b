// People and cost codes of rows, looked up in the stand-in service.
import { planTimecards } from '../../../activities/timesheets/look-up-timecards';
import { useSandboxClient } from '../../setup/sandbox-client';
import { date, planned, project, scope } from './timesheet-bed';

const bed = useSandboxClient();

describe('planning', () => {
  test('people and cost codes are found by name, code and id', async () => {
    const [first, second] = await planned(bed());
    expect(first?.entry).toMatchObject({ loginId: '9001', costCodeId: '41032', hours: '8.0' });
    expect(second?.entry).toMatchObject({ partyId: '77', costCodeId: '41033', hours: '7.25' });
  });

  test('with ids alone, only the id lists are asked for', async () => {
    await planned(bed(), [{ person: '9001', costCode: '41032', timeIn: '07:00', timeOut: '08:00' }]);
    const requests = await bed().control.requests();
    expect(requests).toMatchObject({ 'timesheets.cost-code-ids': 1, 'timesheets.creator-ids': 1 });
    expect(requests['timesheets.cost-codes']).toBeUndefined();
  });

  describe('a code that is all digits', () => {
    const formwork = { id: 88, name: 'Formwork', full_code: '3310', code: '3310' };
    const times = { person: '9001', timeIn: '07:00', timeOut: '08:00' };
    const codes = async (...entries: readonly object[]) => {
      await bed().control.addFault({
        route: 'timesheets.cost-codes',
        action: { kind: 'status', status: 200, body: entries },
      });
    };

    test('is found although all that is named is digits', async () => {
      await codes(formwork);
      const [row] = await planned(bed(), [{ ...times, costCode: '3310' }]);
      expect(row?.entry.costCodeId).toBe('88');
    });

    test('names nothing where it is the id of another entry as well', async () => {
      await codes(formwork, { id: 3310, name: 'Masonry', full_code: '4200', code: '4200' });
      const { faulty } = await planTimecards(
        bed().client,
        { project, date, timing: 'times', rows: [{ ...times, costCode: '3310' }] },
        scope,
      );
      expect(faulty[0]?.reasons).toMatchObject([
        { code: 'cost-code', text: expect.stringContaining('more than one'), fix: expect.anything() },
      ]);
      for (const named of ['Formwork (88)', 'Masonry (3310)']) {
        expect(faulty[0]?.reasons[0]?.fix).toContain(named);
        await codes(formwork, { id: 3310, name: 'Masonry', full_code: '4200', code: '4200' });
        const [row] = await planned(bed(), [{ ...times, costCode: named }]);
        expect(named).toContain(`(${row?.entry.costCodeId})`);
      }
    });
  });

  test('what is wrong with a row is said with what would be right', async () => {
    const { ready, faulty } = await planTimecards(
      bed().client,
      {
        project,
        date,
        timing: 'times',
        rows: [{ person: 'Ada Ashbi', costCode: '03-01O', timeIn: '07:00', timeOut: '07:00' }],
      },
      scope,
    );
    expect(ready).toEqual([]);
    expect(faulty[0]?.reasons.map(({ code }) => code)).toEqual(['person', 'cost-code', 'times']);
    expect(faulty[0]?.reasons[0]?.fix).toContain('Ada Ashby');
    expect(faulty[0]?.reasons[1]?.fix).toContain('03-010');
  });
});
