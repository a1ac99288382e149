import { IsDefined, IsInt, Min } from 'class-validator';
import {
  excludes,
  findOptionViolations,
  isFlag,
  isSeconds,
  isText,
  needs,
  oneOf,
  Rule,
  whenTrue,
} from './option.validation.js';

class BaseOptions {
  @Rule(isText) name = 'default';
  @Rule() anything: unknown;
}

class ExampleOptions extends BaseOptions {
  @IsInt() @Min(1) limit = 5;
  @IsInt({ each: true }) sizes = [1];
  @Rule(isSeconds) delay = 0;
  @Rule(isText, needs('key', 'token'), excludes('token')) certificate?: string;
  @Rule(isText) key?: string;
  @Rule(isText) token?: string;
  @Rule(isFlag, whenTrue(excludes('certificate'))) insecure?: boolean;
  @Rule(oneOf('one', 'two', 'three')) mode?: string;
}

class RequiredOptions {
  @IsDefined({ message: 'factory is missing' }) factory: unknown;
}

describe('findOptionViolations', () => {
  it.each<[object]>([
    [{}],
    [{ name: undefined, unknown: undefined }],
    [{ limit: 1, sizes: [], delay: 0.5, anything: null, mode: 'two' }],
    [{ certificate: 'c', key: 'k', insecure: false }],
  ])('should find nothing wrong with %j', (options) => {
    expect(findOptionViolations(ExampleOptions, options)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ name: '' }, 'name must be a non-empty string'],
    [{ limit: 0 }, 'limit must not be less than 1'],
    [{ limit: 'a' }, 'limit must be an integer number, and limit must not be less than 1'],
    [{ sizes: ['a'] }, 'each value in sizes must be an integer number'],
    [{ delay: NaN }, 'delay must be a number of seconds, not negative'],
    [{ delay: null }, 'delay must be a number of seconds, not negative'],
    [{ certificate: 'c' }, "certificate needs the option 'key' or 'token'"],
    [{ certificate: 'c', token: 't' }, "certificate excludes the option 'token'"],
    [{ certificate: 'c', key: 'k', insecure: true }, "insecure excludes the option 'certificate'"],
    [{ mode: 'four' }, "mode must be 'one', 'two', or 'three'"],
    [{ tokn: 't' }, 'tokn does not exist; did you mean token?'],
    [{ toString: 1 }, 'toString does not exist; there are name, anything, limit, sizes, delay, certificate'],
    [{ constructor: 1 }, 'constructor does not exist; there are name, anything'],
    [JSON.parse('{"__proto__":1}') as object, '__proto__ does not exist; there are name, anything'],
  ])('should say what is wrong with %j', (options, expected) => {
    expect(findOptionViolations(ExampleOptions, options)).toEqual([expect.stringContaining(expected)]);
  });

  it('should name the options by their titles, in the order in which they are given, and then those that are missing', () => {
    const titleOf = (name: string): string => `example.${name}`;
    const options = { mode: 1, nonsense: 1, sizes: ['a'], name: 1 };
    expect(findOptionViolations(ExampleOptions, options, { titleOf })).toEqual([
      "example.mode must be 'one', 'two', or 'three'",
      expect.stringMatching(/^example.nonsense does not exist; there are /),
      'each value in example.sizes must be an integer number',
      'example.name must be a non-empty string',
    ]);
    expect(findOptionViolations(RequiredOptions, {}, { titleOf })).toEqual(['example.factory is missing']);
  });

  it('should take members that are undefined as wrong if the options must be complete', () => {
    expect(findOptionViolations(ExampleOptions, { limit: undefined, key: 'k' }, { isComplete: true })).toContain(
      'limit must be an integer number, and limit must not be less than 1',
    );
  });

  it('should not show the values', () => {
    const violations = findOptionViolations(ExampleOptions, { key: ['hidden'], insecure: 'hidden', hiden: 'hidden' });
    expect(violations.join()).not.toContain('hidden');
  });
});
