/** Keys the name of the operator on a class of handlers. */
export const OPERATOR_METADATA = 'nestjs-kopf:operator';

/**
 * Assigns all handlers of a class, also inherited ones, to the operator of a name: that of `KopfModule.forRoot({ name })`. The option
 * `operator` of a handler's decorator comes before it. Without either, handlers are called by the operator without a name.
 *
 * @example
 * @Injectable()
 * @ForOperator('edge')
 * export class EdgePodsOperator {
 *   @OnCreate('pods')
 *   create({ name }: ChangeContext) {}
 * }
 */
export function ForOperator(name: string): ClassDecorator {
  return (target) => Reflect.defineMetadata(OPERATOR_METADATA, name, target);
}

/** Reads the operator's name on a class, or on one that it extends. */
export function operatorOf(type: object): string | undefined {
  return Reflect.getMetadata(OPERATOR_METADATA, type) as string | undefined;
}
