// Who one is, and how one wants the page to be.
import './me.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiProblem, ask, isSignedOut } from '../../shell/api';
import { askMe, me } from '../../shell/me';
import { type Preferences, prefer, preferences } from '../../shell/preferences';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import type { View } from '../../shell/view';

export const meView: View = { paths: ['/me', '/sign-in'], Show: ShowMe };

interface ChoiceProps<Name extends keyof Preferences> {
  readonly name: Name;
  readonly legend: string;
  readonly labels: Readonly<Record<string, string>>;
}

function Choice<Name extends 'theme' | 'density' | 'hour'>({
  name,
  legend,
  labels,
}: ChoiceProps<Name>): JSX.Element {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {Object.entries(labels).map(([value, label]) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={preferences.value[name] === value}
            onChange={() => prefer({ [name]: value })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function ShowMe(): JSX.Element {
  const words = texts.me;
  const person = me.value;
  useTitle(words.title);
  const [problem, setProblem] = useState<string>();
  /** Asks who is signed in by now: that tells whether the signing out was done. */
  const leaveOrTell = async (failed: ApiProblem) => {
    const isKnown = await askMe().then(
      () => true,
      () => false,
    );
    if (isKnown && isSignedOut.value) location.assign(href('/'));
    else setProblem(isKnown ? `${words.stillIn} ${words.tryAgain}` : failed.message);
  };
  const leave = async () => {
    try {
      await ask('POST /api/sign-out');
      // The page is loaded anew, so that nothing of what was seen stays in this window.
      location.assign(href('/'));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      await leaveOrTell(error);
    }
  };
  return (
    <div class="view me">
      <h1 tabIndex={-1}>
        <bdi>{person?.name ?? words.title}</bdi>
      </h1>
      <p class="sentence">{words.kept}</p>
      <div class="panel-box">
        <Choice name="theme" legend={words.theme} labels={words.themes} />
        <Choice name="density" legend={words.density} labels={words.densities} />
        <Choice name="hour" legend={words.hour} labels={words.hours} />
        <fieldset class="choices">
          <legend>{words.keys}</legend>
          <label>
            <input
              type="checkbox"
              checked={preferences.value.singleKeys}
              onChange={event => prefer({ singleKeys: event.currentTarget.checked })}
            />
            {words.keysOn}
          </label>
        </fieldset>
        <div class="choices">
          <h3>{words.roles}</h3>
          <ul>
            {Object.entries(person?.roles ?? {}).map(([share, role]) => (
              <li key={share}>
                <bdi>{share}</bdi>: {words.role[role]}
              </li>
            ))}
          </ul>
        </div>
      </div>
      {problem === undefined ? null : (
        <p class="of-set-apart" role="alert">
          {problem}
        </p>
      )}
      <p class="actions">
        {person?.signIn === 'password' || person?.signIn === 'openid' ? (
          <button type="button" class="button" onClick={() => void leave()}>
            {words.signOut}
          </button>
        ) : null}
        <span class="third small">
          {words.version} {person?.version}
        </span>
      </p>
    </div>
  );
}
