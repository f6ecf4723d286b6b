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
