// The sheet of the template that says how it is filled and what comes back, for a person
// who has never heard of it. Pure.
import { OUTCOME_WORDS, OUTCOMES } from '../words/outcome-words';
import type { PlannedCell, PlannedSheet } from '../write/write-workbook';
import { type TemplateColumn, tellHowToFill } from './template-fields';

export interface InstructionFacts {
  readonly share: string;
  readonly project: string;
  readonly emptyWord: string;
}

export function planInstructions(facts: InstructionFacts, columns: readonly TemplateColumn[]): PlannedSheet {
  const rows: PlannedCell[][] = [
    [{ text: `Register for ${facts.project}`, look: 'title' }],
    [{ text: `For the share ${facts.share}. One row of the sheet Data for each file.`, look: 'text' }],
    [],
    ...section('How to use it', tellUse(facts)),
    ...section(
      'Columns',
      columns.map((column): [string, string] => [
        column.header,
        `${capital(column.needWords)}. ${tellHowToFill(column)}`,
      ]),
    ),
    ...section('What comes back', [
      [
        'The receipt',
        'This sheet with your rows in your order, and in front of them what became of each file, why, and what to do.',
      ],
      ...OUTCOMES.map((outcome): [string, string] => [
        OUTCOME_WORDS[outcome].word,
        OUTCOME_WORDS[outcome].means,
      ]),
      [
        'To correct',
        'Correct the marked cells in the receipt that lies in the attention folder, and save it. Only the rows that you changed go on.',
      ],
    ]),
  ];
  return {
    name: 'Instructions',
    widths: [26, 116],
    rows,
    rowHeights: new Map([[0, 28]]),
    hasGrid: false,
  };
}

function tellUse({ emptyWord }: InstructionFacts): readonly [string, string][] {
  return [
    ['1', 'Put the files into one folder, and fill one row of the sheet Data for each.'],
    ['2', 'Save this workbook in that folder, as register.xlsx.'],
    ['3', 'Copy the folder into the drop folder of the share. It is one job, with the name of the folder.'],
    [
      'Empty cells',
      'An empty cell says nothing: the value may come from the name of the file or from the service.',
    ],
    [emptyWord, `The value is to stay empty, whatever else would fill it.`],
    ['Marked cells', 'A cell that turns amber is required for this row and is empty.'],
    ['Your own columns', 'Columns that the project does not know travel along and come back unchanged.'],
    ['Order', 'Rows go in the order in which they stand here; so do several revisions of one document.'],
  ];
}

function section(title: string, lines: readonly (readonly [string, string])[]): PlannedCell[][] {
  return [
    [
      { text: title, look: 'header' },
      { text: '', look: 'header' },
    ],
    ...lines.map(([label, text]): PlannedCell[] => [
      { text: label, look: 'text' },
      { text, look: 'wrapped' },
    ]),
    [],
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
