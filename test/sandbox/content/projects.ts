/** The three default projects (see ../defaults for what sets them apart). */
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../defaults';
import type { NamingStandard, Project, UploadRequirement } from '../entities';
import { contentId } from '../identifiers';
import { projectFields, valueId } from './fields';
import { projectUsers } from './users';

const UPDATED_AT = '2025-03-01T08:00:00Z';
const BASELINE = ['name', 'type', 'status', 'revision'];

/** Fresh copies of the default content. */
export function defaultProjects(): Project[] {
  return [
    projectOf(DEFAULT_PROJECTS.plain, 'plain', 'Harbour Bridge'),
    {
      ...projectOf(DEFAULT_PROJECTS.namingStandard, 'naming-standard', 'Station Hall'),
      namingStandard: namingStandard('naming-standard'),
    },
    {
      ...projectOf(DEFAULT_PROJECTS.unconfigured, 'no-standard-configured', 'Quay Offices'),
      configured: false,
    },
  ];
}

function projectOf(id: string, key: string, name: string): Project {
  return {
    id,
    companyId: DEFAULT_COMPANY_ID,
    name,
    configured: true,
    fields: projectFields(key),
    requirements: requirements(key),
    users: projectUsers(),
    permissions: { read: true, upload: true, submit: true, terminateWorkflows: true },
  };
}

function requirements(key: string): UploadRequirement[] {
  const drawing = { fieldName: 'type', valueIds: [valueId(key, 'type', 'DWG')] };
  const structural = { fieldName: 'discipline', valueIds: [valueId(key, 'discipline', 'ST')] };
  const shared = { updatedAt: UPDATED_AT, requiredByProject: BASELINE };
  return [
    {
      ...shared,
      id: contentId(`${key}/requirement/default`),
      qualifiers: [],
      additional: [],
      allowDuplicateRevisions: true,
    },
    {
      ...shared,
      id: contentId(`${key}/requirement/drawing`),
      qualifiers: [drawing],
      additional: ['number', 'discipline'],
      allowDuplicateRevisions: false,
    },
    {
      ...shared,
      id: contentId(`${key}/requirement/structural-drawing`),
      qualifiers: [drawing, structural],
      additional: ['number', 'discipline', 'originator'],
      allowDuplicateRevisions: false,
    },
  ];
}

/** PROJECT-ORIGINATOR-TYPE-NUMBER-REVISION, for example HB-ALD-DWG-0001-A. */
function namingStandard(key: string): NamingStandard {
  const part = (name: string, label: string, type: 'string' | 'lov_entry') => ({
    id: contentId(`${key}/naming-standard/${name}`),
    name,
    label,
    type,
  });
  return {
    id: contentId(`${key}/naming-standard`),
    name: 'Five parts',
    updatedAt: UPDATED_AT,
    parts: [
      part('project', 'Project', 'string'),
      part('originator', 'Originator', 'lov_entry'),
      part('type', 'Type', 'lov_entry'),
      part('number', 'Number', 'string'),
      part('revision', 'Revision', 'string'),
    ],
  };
}
