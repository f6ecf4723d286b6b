// One cell of the grid as it is shown while nobody writes in it.

import { Name } from '../../../parts/name';
import type { CheckedField } from '../../../parts/values/check-cell';
import { tellDay } from '../../../shell/format';
import { reader } from '../../../shell/reader';
import { texts as catalogue } from '../../../shell/texts';
import type { GridColumn, GridRow } from '../model/grid';

const texts = catalogue.waiting;

export type Look = 'plain' | 'needed' | 'new' | 'fault' | 'locked';

export interface Shown {
  readonly look: Look;
  readonly text: string;
  /** Written here and not sent: somebody else was first. */
  readonly struck?: string;
}

export function showCell(
  { known, needs, answered }: GridRow,
  { name }: Pick<GridColumn, 'name'>,
  written: string | undefined,
  field: CheckedField | undefined,
): Shown {
  const was = known.get(name) ?? '';
  if (answered !== undefined) {
    const theirs = answerTo(answered.values, field, name) ?? was;
    return written === undefined || written === theirs
      ? { look: 'locked', text: theirs }
      : { look: 'locked', text: theirs, struck: written };
  }
  if (written !== undefined)
    return { look: field?.check(written).kind === 'fault' ? 'fault' : 'new', text: written };
  if (!needs.includes(name)) return { look: 'plain', text: was };
  return was === '' ? { look: 'needed', text: '' } : { look: 'fault', text: was };
}

/** What was answered for the field: an answer may name it by its label, too. */
function answerTo(
  values: Readonly<Record<string, string>>,
  field: CheckedField | undefined,
  name: string,
): string | undefined {
  return values[name] ?? (field === undefined ? undefined : values[field.label]);
}

/** The value of the list with its code in front, dates with the month as a word; else as it was written. */
function CellValue({ text, field }: { readonly text: string; readonly field: CheckedField | undefined }) {
  const checked = field?.check(text);
  if (field === undefined || checked?.kind !== 'value') return <Name text={text} isCut />;
  const [label] = checked.texts;
  if (label === undefined) return <i>{texts.leftEmpty}</i>;
  if (field.takes === 'date') return <>{tellDay(label, reader())}</>;
  const code = field.takes === 'one-of' ? field.values.find(value => value.label === label)?.code : undefined;
  return (
    <>
      {code !== undefined && code !== '' && <b class="combo-code">{code}</b>}
      <Name text={checked.texts.join('; ')} isCut />
    </>
  );
}

export function CellShown({
  shown,
  field,
}: {
  readonly shown: Shown;
  readonly field: CheckedField | undefined;
}) {
  if (shown.look === 'needed') return <span class="waiting-needed">{texts.which}</span>;
  return (
    <>
      {shown.text !== '' && <CellValue text={shown.text} field={field} />}
      {shown.struck !== undefined && (
        <s title={texts.notSent}>
          <span class="unseen">{texts.notSent}: </span>
          <CellValue text={shown.struck} field={field} />
        </s>
      )}
    </>
  );
}
