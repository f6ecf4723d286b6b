// What stands where there is nothing to show: loading, nothing yet, and what went wrong.
import type { ComponentChildren, JSX } from 'preact';
import type { ApiProblem } from '../shell/api';
import { texts } from '../shell/texts';
import { copyText } from './copy';
import { Icon, type IconName } from './icons';
import { Sign } from './sign';

/** Grey bars, without shimmer. To be shown only after 300 ms: by then `isSlow` of the question is true. */
export function Loading(): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="unseen">{texts.common.loading}</span>
      {['a', 'b', 'c'].map(group => (
        <div key={group} class="loading-group" aria-hidden="true">
          <span class="bone short" />
          <span class="bone" />
          <span class="bone middle" />
        </div>
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ icon, title, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      {icon === undefined ? null : <Icon name={icon} />}
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

interface FailedProps {
  readonly problem: ApiProblem;
  readonly again: () => void;
}

export function Failed({ problem, again }: FailedProps): JSX.Element {
  const details = [
    problem.message,
    ...problem.faults.map(({ at, text }) => (at === undefined ? text : `${at}: ${text}`)),
    `${problem.status} ${problem.reference ?? ''} ${location.pathname} ${new Date().toISOString()}`,
  ].join('\n');
  return (
    <div class="failed" role="alert">
      <p class="of-set-apart">
        <Sign outcome="set-apart" /> <strong>{texts.common.couldNotRead}</strong>
      </p>
      <p class="quiet">
        {problem.message} {texts.common.onlyView}
      </p>
      <p class="actions">
        <button type="button" class="button" onClick={again}>
          {texts.common.tryAgain}
        </button>
        <button type="button" class="button plain" onClick={() => void copyText(details)}>
          {texts.common.copyDetails}
        </button>
      </p>
    </div>
  );
}

interface PendingProps {
  readonly problem: ApiProblem | undefined;
  readonly isSlow: boolean;
  readonly again: () => void;
  /** Stands by itself, rather than in something that has a border. */
  readonly isBoxed?: boolean;
}

/**
 * What stands where nothing is known yet. Where no answer came (status 0) that is nothing: that there is no
 * connection is told above, for all of the page.
 */
export function Pending({ problem, isSlow, again, isBoxed = true }: PendingProps): JSX.Element | null {
  if (problem !== undefined) return problem.status === 0 ? null : <Failed problem={problem} again={again} />;
  if (!isSlow) return null;
  return isBoxed ? (
    <div class="panel-box">
      <Loading />
    </div>
  ) : (
    <Loading />
  );
}
