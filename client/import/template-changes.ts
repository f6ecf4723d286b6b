// Changes of permission templates from a CSV file: one person a row, all faults of the file at once.

import { hash } from 'node:crypto';
import { entryOf } from '../../activities/host/entry-of';
import { foldName } from '../../activities/host/fold-text';
import { permissionTemplateWorkflowId } from '../../workflows/users/users-contract';
import { type CsvLine, readCsvLines } from './read-rows';

export interface TemplateChange {
  /** Line in the file, from 1; for messages. */
  readonly line: number;
  readonly user: string;
  readonly template: string;
  readonly previousTemplate?: string;
}

const COLUMNS: Readonly<Record<string, 'user' | 'template' | 'previousTemplate'>> = {
  user: 'user',
  email: 'user',
  template: 'template',
  'permission template': 'template',
  previoustemplate: 'previousTemplate',
  'previous template': 'previousTemplate',
};
const MOST_ROWS = 2_000;

/** Rows with the columns user, template and, where needed, previousTemplate; commas or semicolons. */
export function readTemplateChanges(
  text: string,
): { readonly changes: readonly TemplateChange[] } | { readonly faults: readonly string[] } {
  let rows: readonly CsvLine[];
  try {
    rows = readCsvLines(text, { bom: true, delimiter: [',', ';'], relax_column_count: true });
  } catch (error) {
    return { faults: [`no CSV: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const [head, ...body] = rows;
  const columns = (head?.cells ?? []).map(name => entryOf(COLUMNS, name.toLowerCase()));
  if (!columns.includes('user') || !columns.includes('template')) {
    return { faults: ['the first line must name the columns "user" and "template"'] };
  }
  if (body.length > MOST_ROWS) return { faults: [`more than ${MOST_ROWS} rows; split the file`] };
  const faults: string[] = [];
  const seen = new Map<string, number>();
  const changes = body.map(({ cells, line }): TemplateChange => {
    const cell = (name: 'user' | 'template' | 'previousTemplate') => cells[columns.indexOf(name)] ?? '';
    const [user, template, previous] = [
      cell('user'),
      cell('template'),
      columns.includes('previousTemplate') ? cell('previousTemplate') : '',
    ];
    if (user === '') faults.push(`line ${line}: no user`);
    if (template === '') faults.push(`line ${line}: no template`);
    const key = keyOfUser(user);
    const earlier = seen.get(key);
    if (user !== '' && earlier !== undefined)
      faults.push(`line ${line}: "${user}" stands in line ${earlier} too`);
    seen.set(key, line);
    return { line, user, template, ...(previous === '' ? {} : { previousTemplate: previous }) };
  });
  return faults.length > 0 ? { faults } : { changes };
}

/** One run at a time for a user written the same way; people's names stay out of ids. */
export function templateChangeWorkflowId(projectId: string, user: string): string {
  return permissionTemplateWorkflowId(projectId, keyOfUser(user));
}

function keyOfUser(user: string): string {
  return hash('sha256', foldName(user)).slice(0, 16);
}
