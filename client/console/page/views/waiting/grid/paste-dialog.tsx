// A column of a spreadsheet: what comes, and where it goes, before anything happens.
import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../../parts/dialog';
import { texts as catalogue } from '../../../shell/texts';
import type { PastePlan } from '../model/paste';

const texts = catalogue.waiting;

interface PasteDialogProps {
  readonly text: string;
  readonly label: string;
  readonly planFor: (text: string) => PastePlan;
  readonly take: (plan: PastePlan) => void;
  readonly close: () => void;
}

export function PasteDialog({ text: begun, label, planFor, take, close }: PasteDialogProps) {
  const id = useId();
  const [text, setText] = useState(begun);
  const plan = text.trim() === '' ? undefined : planFor(text);
  return (
    <Dialog title={texts.pasteTitle(label)} onClose={close}>
      <label for={id} class="quiet">
        {texts.pasteHint}
      </label>
      <textarea
        id={id}
        class="waiting-paste"
        rows={8}
        value={text}
        onInput={event => setText(event.currentTarget.value)}
      />
      <p aria-live="polite">
        {plan !== undefined && texts.pasteTold(plan.given, Math.min(plan.rows, plan.given), plan.left)}
      </p>
      <div class="actions waiting-actions">
        <button type="button" class="button" onClick={close}>
          {texts.cancel}
        </button>
        <button
          type="button"
          class="button primary"
          disabled={plan === undefined || plan.cells.length === 0}
          onClick={() => {
            if (plan !== undefined) take(plan);
            close();
          }}
        >
          {texts.pasteDo}
        </button>
      </div>
    </Dialog>
  );
}
