import { findObject, parseObjectArgument } from './object.argument.js';
import type { ClusterConnection } from './cluster.connection.js';
import { UsageError } from './exit.codes.js';

describe('parseObjectArgument', () => {
  it.each([[['evc/claim']], [['evc', 'claim']]])('should read %j', (words) => {
    expect(parseObjectArgument(words)).toEqual(['evc', 'claim']);
  });

  it.each([
    [['evc/']],
    [['evc', '']],
    [['evc', ' ']],
    [['evc', '..']],
    [['evc/a/b']],
    [['evc', 'a?b']],
    [['/a']],
    [[]],
  ])('should refuse %j, which names no object', (words) => {
    expect(() => parseObjectArgument(words)).toThrow(UsageError);
  });
});

describe('findObject', () => {
  it.each([
    ['', undefined, 'The name of the object is empty.'],
    ['..', 'ns', 'The name of the object is "..", which leads to another path.'],
    ['a', '', 'The namespace of the object is empty.'],
    ['a', 'b/c', 'The namespace of the object has the character "/", which no name can have.'],
  ])('should refuse the name %j in the namespace %j before a request is made', async (name, namespace, message) => {
    const error = await findObject({} as ClusterConnection, ['pods', name], namespace).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(message);
  });
});
