// The top bar: where one is, how many wait, finding, and whether what is shown is of now.
import type { JSX } from 'preact';
import { Icon, type IconName } from '../parts/icons';
import { Sign } from '../parts/sign';
import { isSignedOut } from '../shell/api';
import { tellNumber } from '../shell/format';
import { connection } from '../shell/live';
import { may, me } from '../shell/me';
import { reader } from '../shell/reader';
import { href } from '../shell/router';
import { texts } from '../shell/texts';
import { type Badge, PLACES, type Place, type View } from '../shell/view';
import { FindField } from './find-field';

interface TopBarProps {
  readonly views: readonly View[];
  readonly place: Place | undefined;
}

const ICONS: Readonly<Record<Place, IconName>> = {
  jobs: 'layers',
  waiting: 'inbox',
  apart: 'file-x',
  drop: 'upload',
  operations: 'activity',
};

export function TopBar({ views, place }: TopBarProps): JSX.Element {
  const { common } = texts;
  return (
    <header class="top-bar">
      <a class="mark" href={href('/jobs')}>
        <svg width="20" height="20" viewBox="0 0 20 20" fill="none" aria-hidden="true">
          <rect class="mark-ground" width="20" height="20" rx="4.5" />
          <path class="mark-line" d="M4 14h2l3-8m7 8h-2l-3-8" />
        </svg>
        <span>{common.product}</span>
      </a>
      <nav class="places" aria-label={common.views}>
        {PLACES.filter(isTheirs).map(one => {
          const useBadge = views.find(view => view.place === one && view.useBadge !== undefined)?.useBadge;
          return <PlaceLink key={one} place={one} isHere={one === place} useBadge={useBadge ?? noBadge} />;
        })}
      </nav>
      <FindField />
      <LiveSign />
      <Person />
    </header>
  );
}

/** Somebody who may drop nothing on any share has no use for *Drop here*. */
function isTheirs(place: Place): boolean {
  return place !== 'drop' || me.value === undefined || may('answer');
}

function noBadge(): undefined {
  return undefined;
}

interface PlaceLinkProps {
  readonly place: Place;
  readonly isHere: boolean;
  readonly useBadge: () => Badge | undefined;
}

function PlaceLink({ place, isHere, useBadge }: PlaceLinkProps): JSX.Element {
  const badge = useBadge();
  return (
    <a href={href(`/${place}`)} aria-current={isHere ? 'page' : undefined}>
      <span class="tab-icon">
        <Icon name={ICONS[place]} />
      </span>
      <span class="long">{texts.common.places[place]}</span>
      <span class="short" aria-hidden="true">
        {texts.common.shortPlaces[place]}
      </span>
      {badge === undefined ? null : <BadgeSign badge={badge} />}
    </a>
  );
}

function BadgeSign({ badge: { kind, count } }: { readonly badge: Badge }): JSX.Element | null {
  const told = tellNumber(count ?? 0, reader());
  if (kind === 'away')
    return (
      <span class="badge-sign of-set-apart">
        <Sign outcome="set-apart" />
        <span class="unseen">{texts.common.badge.away}</span>
      </span>
    );
  if (count === undefined || count === 0) return null;
  return (
    <span class={`badge ${kind}`}>
      <span aria-hidden="true">{told}</span>
      <span class="unseen">{texts.common.badge[kind](told)}</span>
    </span>
  );
}

function LiveSign(): JSX.Element | null {
  const { state } = connection.value;
  if (isSignedOut.value) return null;
  const { live, connecting, lost } = texts.common;
  return (
    <span class={`live is-${state}`}>
      <span class="dot" aria-hidden="true" />
      {state === 'live' ? live : state === 'connecting' ? connecting : lost}
    </span>
  );
}

function Person(): JSX.Element {
  const name = me.value?.name ?? '';
  return (
    <a class="person" href={href('/me')} title={name}>
      <span aria-hidden="true">{initials(name)}</span>
      <span class="unseen">{texts.common.me(name)}</span>
    </a>
  );
}

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(word => /\p{L}/u.test(word));
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  return chosen.map(word => [...(word ?? '')][0]?.toUpperCase() ?? '').join('');
}
