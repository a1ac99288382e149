import { Inject, type Type } from '@nestjs/common';
import { KOPF_CLOCK, KopfIndices, KubeClient, type Clock } from 'nestjs-kopf';
import { OperatorBuilder, type Parts } from './random.builder.js';
import type { Draw } from './random.draw.js';
import { AdmittingBuilder } from './admitting.builder.js';
import { MixedBuilder, type Mixture } from './mixed.builder.js';
import { RandomRun } from './random.run.js';
import { VariedBuilder } from './random.varied.js';
import { RelatedBuilder, type Relations } from './related.builder.js';

/** An operator that was made of a seed, and what its checks have to know of it. */
export interface RandomOperator {
  readonly type: Type;
  /** The ids of handlers of creations and changes without filters: they note the size in the status, which must be the last one. */
  readonly noting: readonly string[];
  /** The ids of handlers that release something before an object goes. */
  readonly releasing: readonly string[];
  /** The label of objects that have a daemon, if there is one; an empty text for all objects. */
  readonly guardedLabel?: string;
  readonly hasIndex: boolean;
  /** Whether handlers of events record the size. */
  readonly notesEvents: boolean;
  /** Whether the handlers are for the {@link SELECTED} objects only, so that the operator watches no others. */
  readonly isSelecting: boolean;
  /** The handlers of several resources, if there are some. */
  readonly mixture?: Mixture;
  /** The relations of the objects to others, if there are handlers for them. */
  readonly relations?: Relations;
}

/**
 * The kinds of random operators: for some, users recreate objects under the same names, where they delete them otherwise; some select objects
 * by a label, which objects get and lose; some have rarer kinds of handlers, options, and settings; and some look after several resources,
 * whose objects are each other's children, in namespaces that come and go. Some follow children and references, some are asked by the API
 * server before objects are stored, and of some, which are varied or mixed beside, there are always several replicas.
 *
 * Three kinds of handlers are in none of them: `@OnLog`, as no kubelet of a simulation writes logs; `@OnProbe`, which only the health endpoint of
 * an application calls; and `@Convert`, as their objects have one version only.
 */
export type RandomKind =
  'plain' | 'recreating' | 'selecting' | 'varied' | 'mixed' | 'related' | 'admitting' | 'replicated';

/** Add the handlers that the kinds have in addition. */
const BUILDERS: Readonly<Partial<Record<RandomKind, typeof OperatorBuilder>>> = {
  varied: VariedBuilder,
  mixed: MixedBuilder,
  related: RelatedBuilder,
  admitting: AdmittingBuilder,
};

/**
 * Draws an operator: a class with handlers of all kinds. Handlers with filters, whose calls depend on what was seen, have ids that end with `if`.
 *
 * @param kind decides whether all handlers select objects by a label, so that the API server sends no others, and which further ones are drawn.
 */
export function drawOperator(draw: Draw, kind: RandomKind): RandomOperator {
  const isSelecting = kind === 'selecting';
  const hasIndex = draw.percent(50);
  class Operator implements Parts {
    constructor(
      readonly run: RandomRun,
      readonly clock: Clock,
      readonly client: KubeClient,
      indices: KopfIndices,
    ) {
      if (hasIndex) run.process.sizes = indices.get('sizes');
    }
  }
  // The order of the constructor's parameters.
  [RandomRun, KOPF_CLOCK, KubeClient, KopfIndices].forEach((token, index) => Inject(token)(Operator, undefined, index));

  const Builder = BUILDERS[kind] ?? OperatorBuilder;
  const builder = new Builder(draw, Operator as Type<Parts>, isSelecting);
  if (hasIndex) builder.addIndex();
  if (draw.percent(50)) builder.addStartup();
  const noting = builder.addNoting(1 + draw.number(3));
  if (draw.percent(50)) builder.addSubHandlers();
  if (draw.percent(60)) builder.addConditional();
  if (draw.percent(40)) builder.addField();
  const releasing = draw.percent(60) ? builder.addReleasing(1 + draw.number(2)) : [];
  if (draw.percent(40)) builder.addResuming();
  const notesEvents = draw.percent(40);
  if (notesEvents) builder.addEvents();
  const guardedLabel = draw.percent(40) ? draw.one(['', 'guarded']) : undefined;
  if (guardedLabel !== undefined) builder.addDaemon(guardedLabel);
  if (draw.percent(25)) builder.addTimer();
  if (builder instanceof VariedBuilder) builder.addVariety();
  const mixture = builder instanceof MixedBuilder ? builder.addMixture() : undefined;
  const relations = builder instanceof RelatedBuilder ? builder.addRelations() : undefined;
  if (builder instanceof AdmittingBuilder) builder.addAdmission();
  return { type: Operator, mixture, relations, noting, releasing, guardedLabel, hasIndex, notesEvents, isSelecting };
}
