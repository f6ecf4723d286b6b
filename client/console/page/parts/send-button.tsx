// A button that sends something: while there is no connection it is off, and says why.
import type { ComponentChildren, JSX } from 'preact';
import { connection } from '../shell/live';
import { texts } from '../shell/texts';

interface SendButtonProps {
  readonly onClick: () => void;
  readonly isOff?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function SendButton({
  onClick,
  isOff = false,
  class: look = '',
  children,
}: SendButtonProps): JSX.Element {
  const isLost = connection.value.state === 'lost';
  return (
    <button
      type="button"
      class={`button ${look}`}
      disabled={isOff || isLost}
      title={isLost ? texts.common.notNow : undefined}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
