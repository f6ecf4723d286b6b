// Ending somebody's review is asked twice: it cannot be undone, so nothing here is chosen beforehand.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { HeldRow } from '../../../../contract/waiting';
import { Dialog } from '../../../parts/dialog';
import { Name } from '../../../parts/name';
import type { Fields } from '../../../parts/values/use-fields';
import { texts as catalogue } from '../../../shell/texts';

const texts = catalogue.waiting.review;
const MOST_NAMED = 5;

interface EndReviewProps {
  readonly rows: readonly HeldRow[];
  readonly fields: Fields;
  readonly close: () => void;
  readonly end: (reason: string, status: string) => void;
}

export function EndReview({ rows, fields, close, end }: EndReviewProps) {
  const id = useId();
  const keep = useRef<HTMLButtonElement>(null);
  const [reason, setReason] = useState('');
  const [status, setStatus] = useState('');
  const [count, setCount] = useState('');
  const [isTried, setTried] = useState(false);
  // The focus goes there as soon as the dialog is drawn: an Enter that comes too fast ends no review.
  useLayoutEffect(() => keep.current?.focus(), []);
  const [first] = rows;
  const isMany = rows.length > 1;
  const statuses = fields.of(first?.share ?? '').find(({ name }) => name === 'status')?.values ?? [];
  const faults = {
    reason: reason.trim() === '' ? texts.reasonNeeded : undefined,
    status: status.trim() === '' ? texts.statusNeeded : undefined,
    count: isMany && count.trim() !== String(rows.length) ? texts.countNeeded(rows.length) : undefined,
  };
  const shown = isTried ? faults : { reason: undefined, status: undefined, count: undefined };
  const submit = () => {
    setTried(true);
    if (Object.values(faults).every(fault => fault === undefined)) end(reason.trim(), status.trim());
  };
  return (
    <Dialog title={texts.title(rows.length)} onClose={close}>
      <div class="waiting-end">
        <ul>
          {rows.slice(0, MOST_NAMED).map(row => (
            <li key={`${row.batchId} ${row.index}`}>
              <Name text={row.reason} />
            </li>
          ))}
        </ul>
        <p class="quiet">{texts.lost}</p>
        <Field id={`${id}-reason`} label={texts.reason} fault={shown.reason}>
          <input
            id={`${id}-reason`}
            class="field"
            maxLength={500}
            value={reason}
            aria-required="true"
            aria-invalid={shown.reason !== undefined}
            aria-describedby={`${id}-reason-fault`}
            onInput={event => setReason(event.currentTarget.value)}
          />
        </Field>
        <Field id={`${id}-status`} label={texts.status} fault={shown.status}>
          {statuses.length === 0 ? (
            <input
              id={`${id}-status`}
              class="field"
              value={status}
              aria-required="true"
              onInput={event => setStatus(event.currentTarget.value)}
            />
          ) : (
            <select
              id={`${id}-status`}
              class="choice"
              value={status}
              aria-required="true"
              aria-invalid={shown.status !== undefined}
              aria-describedby={`${id}-status-fault`}
              onChange={event => setStatus(event.currentTarget.value)}
            >
              <option value="" />
              {statuses.map(({ label, code }) => (
                <option key={label} value={label}>
                  {code === '' ? label : `${code} ${label}`}
                </option>
              ))}
            </select>
          )}
        </Field>
        {isMany && (
          <Field id={`${id}-count`} label={texts.count(rows.length)} fault={shown.count}>
            <input
              id={`${id}-count`}
              class="field"
              inputMode="numeric"
              value={count}
              aria-required="true"
              aria-invalid={shown.count !== undefined}
              aria-describedby={`${id}-count-fault`}
              onInput={event => setCount(event.currentTarget.value)}
            />
          </Field>
        )}
        <p class="actions waiting-actions">
          <button type="button" class="button" ref={keep} onClick={close}>
            {texts.keep(rows.length)}
          </button>
          <button type="button" class="button waiting-danger-button" onClick={submit}>
            {isMany ? texts.confirmMany(rows.length) : texts.confirm(first?.revision ?? texts.it)}
          </button>
        </p>
      </div>
    </Dialog>
  );
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly fault: string | undefined;
  readonly children: ComponentChildren;
}

function Field({ id, label, fault, children }: FieldProps) {
  return (
    <div class="waiting-field">
      <label for={id}>{label}</label>
      {children}
      <p id={`${id}-fault`} class="of-set-apart small" aria-live="polite">
        {fault}
      </p>
    </div>
  );
}
