import { Inject, Injectable, type Type } from '@nestjs/common';
import { KOPF_CLOCK, OnLogin, type Clock, type ConnectionInfo } from 'nestjs-kopf';
import type { Draw } from './random.draw.js';

/** Draws a class that logs in: with credentials that expire or not, and with logins that fail at times. */
export function drawLogin(draw: Draw): Type {
  const lifetime = draw.one([undefined, 0.5, 20, 300]);
  const failing = draw.one([1, 2, 3, 5]);
  const drawn = draw.one([0.5, 5]);
  // Those who must log in for each request would never be leaders for as long as a handler takes.
  const backoff = lifetime === 0.5 ? 0.5 : drawn;

  @Injectable()
  class RandomLogin {
    private attempts = 0;

    constructor(@Inject(KOPF_CLOCK) private readonly clock: Clock) {}

    @OnLogin({ backoff })
    login(): ConnectionInfo {
      this.attempts += 1;
      if (failing > 1 && this.attempts % failing === 0) throw new Error('It fails at times.');
      const expiration = lifetime === undefined ? undefined : new Date(this.clock.now() + lifetime * 1000);
      return {
        server: 'https://cluster.example.com',
        token: `token-${this.attempts}`,
        ...(expiration && { expiration }),
      };
    }
  }
  return RandomLogin;
}
