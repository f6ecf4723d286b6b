// The fields of a project on a share: ours or nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptField } from '../../../../activities/share/register/kept-fields';
import { createTestBed, type TestBed } from '../share-test-bed';

const FIELD: KeptField = {
  name: 'status',
  label: 'Status',
  type: 'lov_entry',
  isPeople: false,
  required: true,
  requiredByType: [],
  requiredByFields: [],
  values: [{ label: 'For construction', code: 'A4', active: true }],
};

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

test('they are read as they were put, by whoever has the key, for the project that they are of', async () => {
  const share = await bed.open();
  expect(await share.readFields()).toBeUndefined();
  await share.putFields([FIELD]);
  expect(await (await bed.open({}, { looksOnly: true })).readFields()).toMatchObject({ fields: [FIELD] });
  const other = await bed.open({ project: { companyId: '1', projectId: '3' } });
  expect(await other.readFields()).toBeUndefined();
});

test('a value that somebody has added by hand is not offered to anybody', async () => {
  const share = await bed.open();
  await share.putFields([FIELD]);
  const path = join(bed.root, '.drawbridge/fields/fields.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('For construction', 'For demolition'));
  expect(await share.readFields()).toBeUndefined();
});
