// Which of the chosen files are hashed for a test.
import { hashSome } from '../../../../../../client/console/page/views/drop/hash-some';

const file = (path: string, size: number) => ({
  path,
  file: { size, arrayBuffer: async () => new ArrayBuffer(1) },
});
const hashed = async (files: ReturnType<typeof file>[]) => Object.keys(await hashSome(files));

test('one that is too large, or that is sent for the test anyway, keeps none of the others from it', async () => {
  const sheet = file('register.xlsx', 600_000_000);
  expect(await hashed([file('model.ifc', 513_000_000), sheet, file('A-1.pdf', 3)])).toEqual(['A-1.pdf']);
});

test('no more of them are hashed than 512 MB in all', async () => {
  const many = Array.from({ length: 10 }, (_, at) => file(`A-${at}.pdf`, 60_000_000));
  expect(await hashed(many)).toHaveLength(8);
});
