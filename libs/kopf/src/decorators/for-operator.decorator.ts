/** The key of the operator's name in the metadata of a class of handlers. */
export const OPERATOR_METADATA = 'nestjs-kopf:operator';

/**
 * Assigns all handlers of a class, also inherited ones, to a named operator: `KopfModule.forRoot({ name })`. The option `operator` of a
 * handler's decorator has priority. Without either, the operator without a name calls the handlers.
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

/** Reads the operator's name on a class, or on a base class. */
export function operatorOf(type: object): string | undefined {
  return Reflect.getMetadata(OPERATOR_METADATA, type) as string | undefined;
}
