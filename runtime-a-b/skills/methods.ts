/** `herdr_mcp.skill.list`, `.describe` and `.load`: behind `herdr_call`, so the public catalog stays as it is. */
import type { TObject } from 'typebox';
import * as Type from 'typebox';
import { LOAD_MAX } from './limits.ts';
import { describeSkill, Handed, listSkills, loadSkills, type SkillContext } from './shelf.ts';

const closed = { additionalProperties: false } as const;
const Id = Type.String({ minLength: 1, maxLength: 64 });
const root = Type.Optional(Type.String({ description: 'Adds the skills of this project.', maxLength: 4096 }));

const ListParams = Type.Object({ project_root: root }, closed);
const DescribeParams = Type.Object({ id: Id, project_root: root }, closed);
const LoadParams = Type.Object(
  {
    ids: Type.Array(Id, { description: 'In this order.', minItems: 1, maxItems: LOAD_MAX }),
    expected_digests: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 80 }), { description: 'Refuses when a text has changed.' }),
    ),
    project_root: root,
  },
  closed,
);

export interface SkillMethod {
  access: 'read';
  description: string;
  params: TObject;
  run: (params: Record<string, unknown>, context: SkillContext) => Promise<Record<string, unknown>>;
}

export function skillMethods(): Readonly<Record<string, SkillMethod>> {
  const handed = new Handed();
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    'herdr_mcp.skill.list': {
      access: 'read',
      description: 'Modules of the planner’s policy, without their texts; also those of a project and of the person.',
      params: ListParams,
      run: (params, context) => listSkills(text(params.project_root), context),
    },
    'herdr_mcp.skill.describe': {
      access: 'read',
      description: 'One module: when to load it, its size and digest.',
      params: DescribeParams,
      run: (params, context) => describeSkill(String(params.id), text(params.project_root), context),
    },
    'herdr_mcp.skill.load': {
      access: 'read',
      description: 'The texts of modules, in the order of ids.',
      params: LoadParams,
      run: (params, context) => loadSkills(params as Parameters<typeof loadSkills>[0], context, handed),
    },
  };
}
