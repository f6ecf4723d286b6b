// Which share or project a command means: the one that is named, or the only one; projects also by their ids.
import type { ShareConfig } from '../../activities/share/share-config';
import { CliError, EXIT_CODES } from './cli-error';

export interface ProjectOptions {
  readonly share?: string;
  readonly company?: string;
  readonly project?: string;
}

export interface ChosenProject {
  readonly companyId: string;
  readonly projectId: string;
  /** The share that was named, or the only one there is of this project. */
  readonly share?: ShareConfig;
}

/** Throws CliError saying what to give. */
export function chooseProject(shares: readonly ShareConfig[], options: ProjectOptions): ChosenProject {
  const { company, project } = options;
  if (options.share !== undefined) {
    const share = shares.find(({ name }) => name === options.share);
    if (share === undefined) {
      const names = shares.map(({ name }) => name).join(', ');
      throw new CliError(`There is no share "${options.share}". There is: ${names}`, EXIT_CODES.usage);
    }
    return { ...share.project, share };
  }
  if (company !== undefined && project !== undefined) {
    const ofProject = shares.filter(share => share.project.projectId === project);
    const [only] = ofProject;
    return {
      companyId: company,
      projectId: project,
      ...(only === undefined || ofProject.length > 1 ? {} : { share: only }),
    };
  }
  const [only] = shares;
  if (company === undefined && project === undefined && only !== undefined && shares.length === 1) {
    return { ...only.project, share: only };
  }
  throw new CliError('Which project? Give --share, or --company and --project.', EXIT_CODES.usage);
}

/** Throws CliError saying what to give. */
export function chooseShare(shares: readonly ShareConfig[], name: string | undefined): ShareConfig {
  const [only] = shares;
  const found = name === undefined && shares.length === 1 ? only : shares.find(share => share.name === name);
  if (found !== undefined) return found;
  const names = shares.map(share => share.name).join(', ');
  throw new CliError(
    name === undefined
      ? `Which share? Give --share with one of: ${names}`
      : `There is no share "${name}". There is: ${names}`,
    EXIT_CODES.usage,
  );
}
