import type { IncomingMessage } from 'node:http';
import { VirtualClock } from 'nestjs-kopf/testing';
import { SignIn } from './sign.in.js';

const request = (user: string, password: string) => {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return { raw: { headers: { authorization } } as IncomingMessage };
};

describe('The sign-in', () => {
  it('should not check a password again for a minute that was right, and a wrong one each time', async () => {
    const clock = new VirtualClock();
    const check = vi.fn((user: string, password: string) => (password === `of ${user}` ? { user } : undefined));
    const signIn = new SignIn(check, clock);
    for (let time = 0; time < 3; time++) {
      expect(await signIn.admit(request('eve', 'of eve'))).toEqual({ user: 'eve' });
      await expect(signIn.admit(request('bob', 'of eve'))).rejects.toMatchObject({ status: 401 });
    }
    expect(check.mock.calls.map(([user]) => user)).toEqual(['eve', 'bob', 'bob', 'bob']);
    await clock.advance(60_000);
    await signIn.admit(request('eve', 'of eve'));
    expect(check).toHaveBeenCalledTimes(5);
  });

  it.each([[''], ['Bearer abc'], ['Basic'], ['Basic ???'], [`Basic ${Buffer.from(':').toString('base64')}`]])(
    'should take none from %j',
    async (authorization) => {
      const signIn = new SignIn({ ada: 'secret' }, new VirtualClock());
      const asked = signIn.admit({ raw: { headers: { authorization } } as IncomingMessage });
      await expect(asked).rejects.toMatchObject({ status: 401 });
    },
  );
});
