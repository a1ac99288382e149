// #region imports
import { Injectable, Module } from '@nestjs/common';
import {
  KopfModule,
  KopfOperator,
  OnCreate,
  OnLogin,
  OnUpdate,
  type ChangeContext,
  type ConnectionInfo,
  type LoginContext,
} from 'nestjs-kopf';
// #endregion

// #region manual
@Injectable()
export class WorkOperator {
  @OnCreate('kopfexamples.kopf.dev')
  @OnUpdate('kopfexamples.kopf.dev')
  work({ name, logger }: ChangeContext) {
    logger.log(`${name} is being worked on.`);
  }
}

@Module({ imports: [KopfModule.forRoot({ enabled: false })], providers: [WorkOperator] })
export class AppModule {}

@Injectable()
export class Switch {
  constructor(private readonly operator: KopfOperator) {}

  async on() {
    await this.operator.start();
    await this.operator.ready();
  }

  off() {
    return this.operator.stop();
  }

  async restart() {
    await this.off();
    await this.on();
  }
}
// #endregion

// #region pause
@Injectable()
export class Maintenance {
  constructor(private readonly operator: KopfOperator) {}

  begin() {
    this.operator.pause('The database is being moved.');
  }

  end() {
    this.operator.resume();
  }
}
// #endregion

// #region login
@Injectable()
export class TokenOperator {
  @OnLogin({ retries: 3, backoff: 10 })
  async login({ withServiceAccount, withKubeConfig }: LoginContext) {
    return (await withServiceAccount()) ?? (await withKubeConfig());
  }
}

@Injectable()
export class OwnLoginOperator {
  @OnLogin()
  async login(): Promise<ConnectionInfo> {
    const { token, seconds } = await fetchToken();
    return {
      server: 'https://cluster.example.com:6443',
      token,
      expiration: new Date(Date.now() + seconds * 1000),
    };
  }
}

async function fetchToken() {
  return { token: 'from-somewhere', seconds: 3600 };
}
// #endregion
