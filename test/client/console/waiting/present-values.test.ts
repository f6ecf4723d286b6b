import { indexNames, listPresent } from '../../../../client/console/waiting/present-values';

const CONFIG = { policy: { values: {}, defaults: {} } } as unknown as Parameters<typeof listPresent>[2];

test('headers are read once for all documents of a register, each beside the others', () => {
  const headers = ['File', 'Rev', 'Revision'];
  const read = jest.spyOn(headers, 'map');
  const register = { headers } as unknown as NonNullable<
    Parameters<typeof listPresent>[0]['registers']
  >[number];
  const files = ['P1', 'P2'].map((revision, at) => ({
    path: `${at}.pdf`,
    values: {},
    entry: { register: 0, row: { number: at + 2, cells: [`${at}.pdf`, 'x', revision] } },
  })) as unknown as Parameters<typeof listPresent>[0]['files'];
  const names = indexNames(undefined, CONFIG);
  const list = (index: number) => listPresent({ files, registers: [register] }, index, CONFIG, names);
  expect(list(0)).toEqual([{ field: 'revision', text: 'P1', from: expect.stringContaining('row 2') }]);
  const times = read.mock.calls.length;
  expect(list(1)).toMatchObject([{ text: 'P2' }]);
  expect(read).toHaveBeenCalledTimes(times);
});
