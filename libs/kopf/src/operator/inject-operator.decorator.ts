import { Inject, type Type } from '@nestjs/common';
import { DEFAULT_OPERATOR, operatorTokenOf, type OperatorService } from '../kopf.tokens.js';
import { KopfOperator } from './kopf.operator.js';

/**
 * The injection token of an operator with a name, or of one of its services: for factories, for `app.get()`, and to replace it in tests.
 * Without a name, or with `default`, it is the class itself.
 *
 * @param service the class of the service, or a token such as `KOPF_CLOCK`. @default KopfOperator
 * @example
 * await app.get(getOperatorToken('edge')).ready();
 * const pods = await app.get(getOperatorToken('edge', KubeClient)).list('pods');
 */
export function getOperatorToken<T = KopfOperator>(
  name: string = DEFAULT_OPERATOR,
  service: (abstract new (...args: any[]) => T) | symbol = KopfOperator as never,
): Type<T> | symbol | string {
  return operatorTokenOf(name, service as OperatorService) as Type<T> | symbol | string;
}

/**
 * Injects an operator with a name, or one of its services, anywhere in the application. Those of the operator without a name are injected by
 * their classes.
 *
 * @param name what `KopfModule.forRoot({ name })` was given.
 * @param service the class of the service, or a token such as `KOPF_CLOCK`. @default KopfOperator
 * @example
 * constructor(
 *   @InjectOperator('edge') private readonly operator: KopfOperator,
 *   @InjectOperator('edge', KubeClient) private readonly client: KubeClient,
 * ) {}
 */
export function InjectOperator(
  name: string,
  service: OperatorService = KopfOperator,
): ParameterDecorator & PropertyDecorator {
  return Inject(getOperatorToken(name, service));
}
