// What stands around every view: the top bar, what is told of the connection, the keys of the whole page, and
// what screen readers hear.
import type { JSX } from 'preact';
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Empty, Failed } from '../parts/states';
import { matchPath, type Params } from '../shell/address';
import { announced } from '../shell/announce';
import { ApiProblem, isSignedOut } from '../shell/api';
import { isField, useKeys } from '../shell/keys';
import { connection } from '../shell/live';
import { askMe } from '../shell/me';
import { address, href, navigate } from '../shell/router';
import { useSign } from '../shell/sign';
import { texts } from '../shell/texts';
import { useTitle } from '../shell/title';
import type { View } from '../shell/view';
import { Bands } from './bands';
import { KeyHelp } from './key-help';
import { SignIn } from './sign-in';
import { TopBar } from './top-bar';

interface FrameProps {
  readonly views: readonly View[];
}

const GO: Readonly<Record<string, string>> = {
  J: '/jobs',
  W: '/waiting',
  S: '/apart',
  D: '/drop',
  O: '/operations',
};
const SECOND_KEY_WITHIN_MS = 1_500;

export function Frame({ views }: FrameProps): JSX.Element {
  const [showsKeys, setShowsKeys] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { path } = address.value;
  const shown = findView(views, path);
  const isLive = connection.value.state === 'live';
  useEffect(() => {
    askMe().catch(() => undefined);
  }, [isLive]);
  useEffect(() => {
    if (path === '/') navigate('/jobs', { replace: true });
  }, [path]);
  useSign();
  useFocusOnHeading(main, shown?.view);
  usePageKeys(() => setShowsKeys(true));
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {texts.common.skip}
      </button>
      <TopBar views={views} place={shown?.view.place} />
      <Bands place={shown?.view.place} />
      <main ref={main} id="main" tabIndex={-1}>
        {shown === undefined ? (
          <NotHere isStart={path === '/'} />
        ) : (
          <Guarded key={shown.view.paths[0]} view={shown.view} params={shown.params} />
        )}
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announced.value}
      </div>
      {showsKeys ? <KeyHelp onClose={() => setShowsKeys(false)} /> : null}
      {isSignedOut.value ? <SignIn /> : null}
    </>
  );
}

interface GuardedProps {
  readonly view: View;
  readonly params: Params;
}

/** Where a view throws, that is told in its place: a blank page would tell nothing. */
function Guarded({ view, params }: GuardedProps): JSX.Element {
  const [fault, again] = useErrorBoundary((error: unknown) => reportError(error));
  if (fault === undefined) return <view.Show params={params} />;
  const { common } = texts;
  return (
    <div class="view">
      <Failed problem={new ApiProblem(0, `${common.ownFault} (${String(fault)})`)} again={again} />
    </div>
  );
}

function findView(
  views: readonly View[],
  path: string,
): { readonly view: View; readonly params: Params } | undefined {
  for (const view of views)
    for (const pattern of view.paths) {
      const params = matchPath(pattern, path);
      if (params !== undefined) return { view, params };
    }
  return undefined;
}

/** Another view begins with the focus on its heading, for people who hear the page or walk it by keys. */
function useFocusOnHeading(main: { readonly current: HTMLElement | null }, view: View | undefined): void {
  const before = useRef(view);
  // Not after the paint: the focus may have moved on by then, with a key that is pressed at once.
  useLayoutEffect(() => {
    if (before.current === view) return;
    const isFirst = before.current === undefined;
    before.current = view;
    if (isFirst) return;
    const heading = main.current?.querySelector('h1');
    (heading instanceof HTMLElement ? heading : main.current)?.focus({ preventScroll: true });
  }, [view, main]);
}

function usePageKeys(showKeys: () => void): void {
  const begun = useRef(0);
  const go = Object.fromEntries(Object.entries(GO).map(([key, to]) => [key, () => navigate(to)]));
  useLayoutEffect(() => {
    // Before the view's own keys, so that the second key of `g` then `s` means nothing else there.
    const second = (event: KeyboardEvent) => {
      const isSecond = Date.now() - begun.current < SECOND_KEY_WITHIN_MS;
      begun.current = 0;
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !isField(event.target);
      const act = isSecond && isPlain ? go[event.key.toUpperCase()] : undefined;
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', second, { capture: true });
    return () => removeEventListener('keydown', second, { capture: true });
  });
  useKeys({
    '/': () => document.getElementById('find')?.focus(),
    '?': showKeys,
    G: () => {
      begun.current = Date.now();
    },
  });
}

function NotHere({ isStart }: { readonly isStart: boolean }): JSX.Element | null {
  useTitle(isStart ? texts.jobs.title : texts.common.notHere);
  if (isStart) return null;
  return (
    <div class="view">
      <h1 tabIndex={-1}>{texts.common.notHere}</h1>
      <Empty title={texts.common.notHereMeans}>
        <a href={href('/jobs')}>{texts.common.toJobs}</a>
      </Empty>
    </div>
  );
}
