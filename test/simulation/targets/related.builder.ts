import {
  adopt,
  OnChild,
  OnCreate,
  OnDelete,
  OnReference,
  OnUpdate,
  References,
  TemporaryError,
  type ChangeContext,
  type ChildContext,
  type KubeObject,
  type ReferenceContext,
} from 'nestjs-kopf';
import type { ChildOptions, ReferenceOptions } from 'nestjs-kopf/decorators';
import { OperatorBuilder, RESOURCE, type RandomSpec } from './random.builder.js';
import { drawTrouble } from './random.trouble.js';

/** The kinds of objects that are children, or that are referred to, by their plurals. */
export const RELATED_KINDS = { configmaps: 'ConfigMap', secrets: 'Secret' } as const;
export type RelatedPlural = keyof typeof RELATED_KINDS;

/** The label of children that have been handled: it names the owner. */
export const OWNED_BY = 'owned-by';

/** The specification of objects with children and references. */
export interface RelatedSpec extends RandomSpec {
  /** The number of children. */
  readonly parts?: number;
  /** The names of objects that users make. */
  readonly links?: readonly { readonly name: string }[];
}

/** The relations of an operator that were drawn, as far as its checks have to know of them. */
export interface Relations {
  readonly children: RelatedPlural;
  readonly referents: RelatedPlural;
  readonly marksChildren: boolean;
}

/** Adds handlers of objects that have children, and refer to others. */
export class RelatedBuilder extends OperatorBuilder {
  addRelations(): Relations {
    const { draw } = this;
    const plurals: readonly RelatedPlural[] = ['configmaps', 'secrets'];
    const relations: Relations = {
      children: draw.one(plurals),
      referents: draw.one(plurals),
      marksChildren: draw.percent(60),
    };
    this.addParts(relations);
    this.addChild(relations);
    this.addReference(relations);
    if (relations.marksChildren) this.addMarks(relations);
    return relations;
  }

  /** Creates the children of each object, and keeps it until none is made any more: otherwise a recreated object could lose its children to it. */
  private addParts({ children }: Relations): void {
    const trouble = drawTrouble(this.draw);
    const { options } = trouble;
    this.add(
      'keep',
      [OnCreate(RESOURCE, options), OnUpdate(RESOURCE, { ...options, field: 'spec.parts' })],
      async ({ client, clock }, { body, spec, retry, signal }: ChangeContext<RelatedSpec>) => {
        await trouble.meet(retry, clock);
        const wanted = Array.from({ length: spec.parts ?? 0 }, (_, index): KubeObject => {
          const metadata = { name: `${body.metadata.name}-part-${index + 1}` };
          return adopt({ apiVersion: 'v1', kind: RELATED_KINDS[children], metadata });
        });
        await client.applySet(body, wanted, { fieldManager: 'related', signal });
      },
    );
    this.add('hold', [OnDelete(RESOURCE)], () => {});
  }

  /** Records the children of each object. */
  private addChild({ children }: Relations): void {
    const { draw } = this;
    const trouble = drawTrouble(draw);
    const options: ChildOptions = {
      ...trouble.options,
      ...draw.one<ChildOptions>([{}, { controller: false }, { depth: 2 }]),
      ...draw.one<ChildOptions>([{}, { batchWindow: 0 }, { batchWindow: 3 }]),
    };
    this.add(
      'follow',
      [OnChild(RESOURCE, children, options)],
      async ({ clock }, { children: found, patch, retry }: ChildContext) => {
        await trouble.meet(retry, clock);
        patch.status.parts = namesOf(found);
      },
    );
  }

  /** Records the objects to which each object refers, or fails as long as one of them is missing. */
  private addReference({ referents }: Relations): void {
    const { draw, type } = this;
    const trouble = drawTrouble(draw);
    const isPatient = draw.percent(30);
    const options: ReferenceOptions = {
      ...trouble.options,
      ...draw.one<ReferenceOptions>([{}, { condition: 'ReferencesResolved' }]),
      ...draw.one<ReferenceOptions>([{}, { batchWindow: 0 }, { batchWindow: 3 }]),
    };
    References('spec.links[].name', referents)(type);
    this.add(
      'resolve',
      [OnReference(RESOURCE, options)],
      async ({ clock }, { referents: found, missing, patch, retry }: ReferenceContext) => {
        await trouble.meet(retry, clock);
        patch.status.links = namesOf(found);
        patch.status.missing = namesOf(missing);
        if (isPatient && missing.length > 0 && retry < 2) throw new TemporaryError('It is missing.', { delay: 20 });
      },
    );
  }

  /** Labels each child with the name of its owner. */
  private addMarks({ children }: Relations): void {
    const trouble = drawTrouble(this.draw);
    const ownedBy = this.draw.one([RESOURCE, { resource: RESOURCE, fresh: true }]);
    this.add(
      'mark',
      [OnCreate(children, { ...trouble.options, ownedBy })],
      async ({ clock }, { parent, patch, retry }: ChangeContext) => {
        await trouble.meet(retry, clock);
        patch.metadata.labels[OWNED_BY] = parent?.metadata.name ?? null;
      },
    );
  }
}

/** The names of objects, as they are noted: in the order of the alphabet. */
export function namesOf(objects: readonly { readonly name: string }[]): string {
  return objects
    .map(({ name }) => name)
    .sort()
    .join();
}
