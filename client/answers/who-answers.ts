// Whose name stands beside an answer when nobody says one.
import { userInfo } from 'node:os';

/** The user of this machine; undefined where it has no name, as a container's can have none. */
export function whoAnswers(): string | undefined {
  try {
    const name = userInfo().username.trim().slice(0, 100);
    return name === '' ? undefined : name;
  } catch {
    return undefined;
  }
}
