import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UNKNOWN_PROJECT } from '../../../client/session/preview-names';
import { standInShare } from '../../../client/session/stand-in';
import { listTemplateFiles } from '../../../client/session/template-files';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();

function put(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder(), path)), { recursive: true });
    writeFileSync(join(folder(), path), path);
  }
}

const share = () => ({
  ...standInShare(join(folder(), 'share')),
  fileNamePattern: '^(?<Number>[A-Z]-\\d+)_(?<Revision>[^.]+)',
  folderPattern: '^Package A/(?<Type>[^/]+)',
});

const fieldOf = (name: string) => ({
  id: name,
  name,
  label: name.toUpperCase(),
  type: 'string' as const,
  isUserReference: false,
});
const RULES = { ...UNKNOWN_PROJECT, fields: ['number', 'revision', 'type'].map(fieldOf) };

test.each(['elsewhere', 'share/drop'])(
  'rows are below the folder (%s), in natural order, with what names give',
  async where => {
    put(
      ...['Drawing/A-10_P1.pdf', 'Drawing/A-2_P1.pdf', 'letter.pdf', 'register.xlsx', 'Thumbs.db'].map(
        path => `${where}/Package A/${path}`,
      ),
    );
    expect(await listTemplateFiles(share(), join(folder(), where, 'Package A'), RULES)).toEqual([
      { path: 'Drawing/A-2_P1.pdf', values: { number: 'A-2', revision: 'P1', type: 'Drawing' } },
      { path: 'Drawing/A-10_P1.pdf', values: { number: 'A-10', revision: 'P1', type: 'Drawing' } },
      { path: 'letter.pdf', values: {} },
    ]);
  },
);

test('a folder that is not there, and the drop folder itself, are told', async () => {
  put('share/drop/a.pdf');
  await expect(listTemplateFiles(share(), join(folder(), 'none'), RULES)).rejects.toThrow(
    'There is no folder',
  );
  await expect(listTemplateFiles(share(), join(folder(), 'share/drop'), RULES)).rejects.toThrow(
    'is the drop folder',
  );
});
