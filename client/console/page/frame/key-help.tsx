// All keys, by `?`.
import type { JSX } from 'preact';
import { Dialog } from '../parts/dialog';
import { texts } from '../shell/texts';

export function KeyHelp({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { keys } = texts.common;
  return (
    <Dialog title={keys.title} onClose={onClose}>
      <dl class="key-help">
        {keys.list.map(([key, means]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet small">{keys.where}</p>
    </Dialog>
  );
}
