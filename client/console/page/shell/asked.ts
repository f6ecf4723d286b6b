// A question whose answer a view shows: asked at once, and again when something of its topics has changed.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Topic } from '../../contract/session';
import { type Answer, ApiProblem, ask, type Key, type Question, urlOf } from './api';
import { onChanged } from './live';

export interface Asked<One extends Key> {
  readonly data: Answer<One> | undefined;
  /** The address of the question that `data` answers: of the one before, until the new one is answered. */
  readonly answered: string | undefined;
  readonly problem: ApiProblem | undefined;
  /** Nothing is known yet, and it takes a while: time for grey bars. */
  readonly isSlow: boolean;
  readonly again: () => void;
}

const SLOW_AFTER_MS = 300;
const GATHER_MS = 150;
/** What may be answered a moment later: no answer came, also none to a proxy before, or something is away. */
const MAY_COME: readonly number[] = [0, 502, 503, 504];
const ASK_AGAIN_MS = 3_000;
const MOST_KEPT = 40;
/** What was seen last, by address: shown at once when somebody comes back. */
const kept = new Map<string, unknown>();

function keep(url: string, data: unknown): void {
  kept.delete(url);
  kept.set(url, data);
  for (const old of kept.keys()) {
    if (kept.size <= MOST_KEPT) return;
    kept.delete(old);
  }
}

interface State<One extends Key> {
  readonly url: string | undefined;
  readonly data: Answer<One> | undefined;
  readonly problem: ApiProblem | undefined;
}

/** While a view is shown of what the server looks at only as long as somebody asks. */
const LOOKED_AT_EVERY_MS = 20_000;

interface HowAsked {
  readonly topics?: readonly Topic[];
  /** Asked again and again while it is in sight: else the server looks no more, and no news comes. */
  readonly isLookedAt?: boolean;
  /** Goes on showing the answer to the question before, until the new one has come: for filters. */
  readonly keepsBefore?: boolean;
}

/** `question` undefined asks nothing. */
export function useAsked<One extends Key>(
  key: One,
  question: Question<One> | undefined,
  { topics = [], isLookedAt = false, keepsBefore = false }: HowAsked = {},
): Asked<One> {
  const url = question === undefined ? undefined : urlOf(key, question);
  const [state, setState] = useState<State<One>>({ url: undefined, data: undefined, problem: undefined });
  const [isSlow, setSlow] = useState(false);
  const again = useRef<() => void>(() => undefined);
  const wanted = topics.join(' ');

  useEffect(() => {
    setSlow(false);
    if (question === undefined || url === undefined) return;
    const ended = new AbortController();
    let isAsking = false;
    let isStale = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slow = setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    const load = async () => {
      clearTimeout(timer);
      if (isAsking) {
        isStale = true;
        return;
      }
      isAsking = true;
      isStale = false;
      try {
        const data = await ask(key, question, ended.signal);
        keep(url, data);
        if (!ended.signal.aborted) setState({ url, data, problem: undefined });
      } catch (error) {
        if (ended.signal.aborted) return;
        if (!(error instanceof ApiProblem)) throw error;
        // The sign-in dialog opens over the page; once somebody has signed in, this is asked again.
        if (error.status === 401) return;
        setState(before => ({ url, data: before.url === url ? before.data : undefined, problem: error }));
        if (MAY_COME.includes(error.status)) later(ASK_AGAIN_MS);
      } finally {
        isAsking = false;
        clearTimeout(slow);
        if (isStale && !ended.signal.aborted) later();
      }
    };
    const later = (ms = GATHER_MS) => {
      clearTimeout(timer);
      timer = setTimeout(() => void load(), ms);
    };
    again.current = () => void load();
    const leave = onChanged(changed => {
      if (changed === undefined || changed.some(topic => wanted.split(' ').includes(topic))) later();
    });
    void load();
    const looked = setInterval(() => {
      if (isLookedAt && document.visibilityState === 'visible') void load();
    }, LOOKED_AT_EVERY_MS);
    return () => {
      leave();
      clearInterval(looked);
      ended.abort();
      clearTimeout(timer);
      clearTimeout(slow);
    };
  }, [url, wanted, isLookedAt]);

  const isThis = state.url === url;
  const known = url === undefined ? undefined : (kept.get(url) as Answer<One> | undefined);
  const own = (isThis ? state.data : undefined) ?? known;
  const data = own ?? (keepsBefore ? state.data : undefined);
  return {
    data,
    answered: own === undefined ? state.url : url,
    problem: isThis ? state.problem : undefined,
    isSlow: isSlow && data === undefined,
    again: () => again.current(),
  };
}
