import { KOPF_CLOCK } from '../kopf.tokens.js';
import { getOperatorToken } from './inject-operator.decorator.js';
import { KopfOperator } from './kopf.operator.js';

/** As a bundler names the classes of several files. */
const createClass = () => class a {};

describe('getOperatorToken', () => {
  it('should be the class for the operator without a name', () => {
    expect(getOperatorToken()).toBe(KopfOperator);
    expect(getOperatorToken('default')).toBe(KopfOperator);
    expect(getOperatorToken('default', KOPF_CLOCK)).toBe(KOPF_CLOCK);
  });

  it('should always be the same for an operator and a service', () => {
    expect(getOperatorToken('edge')).toBe(getOperatorToken('edge', KopfOperator));
    expect(getOperatorToken('edge', KOPF_CLOCK)).toBe(getOperatorToken('edge', KOPF_CLOCK));
    expect(getOperatorToken('edge')).not.toBe(getOperatorToken('west'));
  });

  it('should be another one for another class of the same name', () => {
    const [one, other] = [createClass(), createClass()];
    expect(getOperatorToken('edge', one)).not.toBe(getOperatorToken('edge', other));
    class Heir extends one {}
    Object.defineProperty(Heir, 'name', { value: one.name });
    expect(getOperatorToken('edge', Heir)).not.toBe(getOperatorToken('edge', one));
  });

  it('should say which module is to be imported, in the errors of Nest', () => {
    expect(String(getOperatorToken('edge'))).toBe("Symbol(KopfOperator of KopfModule.forRoot({ name: 'edge' }))");
    expect(String(getOperatorToken('edge', KOPF_CLOCK))).toBe("KOPF_CLOCK of KopfModule.forRoot({ name: 'edge' })");
  });
});
