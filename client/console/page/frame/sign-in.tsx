// The sign-in dialog, over the page when nobody is signed in any more: what stands behind it stays.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog';
import { withQuery } from '../shell/address';
import { ApiProblem, ask, isSignedOut } from '../shell/api';
import { startLiveSignedIn } from '../shell/live';
import { askMe, me, wasSignedIn } from '../shell/me';
import { address, href } from '../shell/router';
import { texts } from '../shell/texts';

export function SignIn(): JSX.Element {
  const { common } = texts;
  const wasIn = wasSignedIn();
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const enter = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    setBusy(true);
    setFault(undefined);
    try {
      // The CSRF token at hand belongs to the session that is over.
      await askMe();
      const body = { name: String(given.get('name')), password: String(given.get('password')) };
      await ask('POST /api/sign-in', { body });
      await askMe();
      startLiveSignedIn();
    } catch (error) {
      // Who is signed in now tells whether it was done all the same.
      await askMe().catch(() => undefined);
      if (!isSignedOut.value) startLiveSignedIn();
      else setFault(error instanceof ApiProblem ? error.message : common.noAnswer);
    } finally {
      setBusy(false);
    }
  };
  const { path, query } = address.value;
  const cameBack = path === '/sign-in' ? common.signInProblems[query.problem ?? ''] : undefined;
  if (me.value?.signIn === 'proxy')
    return (
      <Dialog title={common.signInFor}>
        <p>{common.notNamedByProxy}</p>
      </Dialog>
    );
  return (
    <Dialog title={wasIn ? common.signedOut : common.signInFor}>
      {wasIn ? <p class="quiet">{common.signedOutMeans}</p> : null}
      {cameBack === undefined ? null : (
        <p class="of-set-apart" role="alert">
          {cameBack}
        </p>
      )}
      {me.value?.signIn === 'password' ? (
        <form class="sign-in" method="post" onSubmit={event => void enter(event)}>
          <label>
            {common.name}
            <input class="field" name="name" autocomplete="username" required />
          </label>
          <label>
            {common.password}
            <input class="field" name="password" type="password" autocomplete="current-password" required />
          </label>
          {fault === undefined ? null : (
            <p class="of-set-apart" role="alert">
              {fault}
            </p>
          )}
          <button class="button primary" type="submit" disabled={isBusy}>
            {common.signIn}
          </button>
        </form>
      ) : (
        <a
          class="button primary"
          target="_self"
          href={href(`/sign-in/openid?to=${encodeURIComponent(href(withQuery(path, query)))}`)}
        >
          {common.signIn}
        </a>
      )}
    </Dialog>
  );
}
