import { ApiConflictError, ApiNotFoundError } from './api.errors.js';
import { ifFound } from './if-found.js';

const REQUEST = { method: 'GET', path: '/api/v1/pods' };

describe('ifFound', () => {
  it('should give what is found', async () => {
    expect(await ifFound(Promise.resolve('something'))).toBe('something');
  });

  it('should give nothing if nothing is found', async () => {
    expect(await ifFound(Promise.reject(new ApiNotFoundError({ ...REQUEST, status: 404 })))).toBeUndefined();
  });

  it.each([new ApiConflictError({ ...REQUEST, status: 409 }), new TypeError('broken')])(
    'should not hide any other failure: %s',
    async (error) => {
      await expect(ifFound(Promise.reject(error))).rejects.toBe(error);
    },
  );
});
