// Files of time clocks: what is read, and everything that is wrong with one at once.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTimesheetImport } from '../../../client/import/timesheet-import';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();

async function read(content: string, name = 'clock.csv', date?: string) {
  const file = join(folder(), name);
  writeFileSync(file, content);
  return await readTimesheetImport(file, [], date);
}

async function faultsOf(content: string, name?: string): Promise<string> {
  return await read(content, name).then(
    () => '',
    (error: Error) => error.message,
  );
}

test('a German spreadsheet: BOM, semicolons, CRLF, decimal commas, hours of one digit', async () => {
  const days = await read(
    '\uFEFFDate;Employee;Cost Code;Time In;Time-out;Lunch;Hours;Billable;Note\r\n' +
      '2026-02-02;"Grünwald; Jürgen";03-010;7:00;15:30;30;8,0;yes;"Night ""A"""\r\n',
  );
  expect(days).toEqual([
    {
      date: '2026-02-02',
      places: ['line 2'],
      rows: [
        {
          person: 'Grünwald; Jürgen',
          costCode: '03-010',
          timeIn: '07:00',
          timeOut: '15:30',
          lunchMinutes: 30,
          hours: '8.0',
          billable: true,
          description: 'Night "A"',
        },
      ],
    },
  ]);
});

test('rows are sorted into days; those without one get the one that is given', async () => {
  const text = 'date,party id,in,out\n2026-02-03,7,07:00,15:00\n\n,8,07:00,15:00\n2026-02-03,9,07:00,15:00\n';
  const days = await read(text, 'clock.csv', '2026-02-02');
  expect(days.map(({ date, places }) => [date, places])).toEqual([
    ['2026-02-02', ['line 4']],
    ['2026-02-03', ['line 2', 'line 5']],
  ]);
});

test('a JSON list has the same rows', async () => {
  const rows = [{ date: '2026-02-02', partyId: 7, timeIn: '07:00', timeOut: '15:00' }];
  expect(await read(JSON.stringify(rows), 'clock.json')).toMatchObject([
    { date: '2026-02-02', places: ['item 1'], rows: [{ partyId: 7 }] },
  ]);
});

test('all faults are told at once, with their places', async () => {
  const text =
    'date,ref,person,time in,time out,lunch,colour\n' +
    '2026-02-30,a,Ada,07:00,15:00,,\n' +
    '2026-02-02,a,Ada,7 am,15:00,half an hour,\n' +
    '2026-02-02,b,Ada,07:00,15:00,,red\n' +
    '2026-02-03,c,Ada,07:00,15:00,,\n' +
    '2026-02-03,c,Ada,07:00,15:00,,\n';
  const message = await faultsOf(text);
  for (const part of [
    'line 2, date:',
    'line 3, timeIn: a time such as 07:30',
    'line 3, lunchMinutes:',
    'line 4,',
    'line 6: the ref "c" stands in line 5 already',
  ]) {
    expect(message).toContain(part);
  }
});

test.each([
  ['no row', 'date,person\n', undefined, 'there is no row'],
  ['a broken line', 'date,person\n"2026-02-02,Ada\n', undefined, 'no CSV'],
  ['no JSON', '{"rows": []}', 'clock.json', 'no JSON list'],
])('%s is refused', async (_, content, name, words) => {
  expect(await faultsOf(content, name)).toContain(words);
});

test('a file that is not there is told by its name', async () => {
  await expect(readTimesheetImport(join(folder(), 'none.csv'), [])).rejects.toThrow(
    /none\.csv cannot be read/,
  );
});
