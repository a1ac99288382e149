// #region imports
import { Controller, Get, Injectable, Module, Param, type INestApplication } from '@nestjs/common';
import { Index, InjectIndex, KopfModule, OnCreate, OnDelete, OnResume, OnUpdate, PRESENT } from 'nestjs-kopf';
import type { ChangeContext, IndexContext, ReadonlyIndex } from 'nestjs-kopf';
import { KopfHealthModule } from 'nestjs-kopf/health';
// #endregion

// #region before
/** Stands for a repository of TypeORM, Prisma, or whatever your API has. */
@Injectable()
export class TeamRepository {
  private readonly rows = new Map<string, { id: string; quota: number }>();

  save(team: { id: string; quota: number }) {
    this.rows.set(team.id, team);
  }

  delete(id: string) {
    this.rows.delete(id);
  }

  find() {
    return [...this.rows.values()];
  }
}

@Injectable()
export class TeamsService {
  constructor(private readonly teams: TeamRepository) {}

  setQuota(id: string, quota: number) {
    this.teams.save({ id, quota });
  }

  remove(id: string) {
    this.teams.delete(id);
  }

  list() {
    return this.teams.find();
  }
}

@Controller('teams')
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Get()
  list() {
    return this.teams.list();
  }
}
// #endregion

// #region operator
@Injectable()
export class TeamsOperator {
  constructor(private readonly teams: TeamsService) {}

  @OnCreate('namespaces.v1', { labels: { quota: PRESENT } })
  @OnUpdate('namespaces.v1', { labels: { quota: PRESENT } })
  @OnResume('namespaces.v1', { labels: { quota: PRESENT } })
  follow({ name, labels }: ChangeContext) {
    this.teams.setQuota(name, Number(labels.quota));
  }

  @OnDelete('namespaces.v1', { labels: { quota: PRESENT } })
  remove({ name }: ChangeContext) {
    this.teams.remove(name);
  }
}
// #endregion

// #region endpoint
@Injectable()
export class PodsIndex {
  @Index('pods.v1')
  podsByTeam({ name, namespace }: IndexContext) {
    return { [namespace ?? '']: name };
  }
}

@Controller('pods')
export class PodsController {
  constructor(@InjectIndex('podsByTeam') private readonly pods: ReadonlyIndex<string, string>) {}

  @Get(':team')
  list(@Param('team') team: string) {
    return this.pods.get(team)?.toArray().sort() ?? [];
  }
}
// #endregion

// #region module
@Module({
  imports: [
    KopfModule.forFeature({ indices: ['podsByTeam'] }),
    KopfHealthModule.forRoot({ controller: true }),
    KopfModule.forRoot(),
  ],
  controllers: [TeamsController, PodsController],
  providers: [TeamRepository, TeamsService, TeamsOperator, PodsIndex],
})
export class AppModule {}
// #endregion

// #region main
export async function listen(app: INestApplication) {
  app.setGlobalPrefix('api', { exclude: ['healthz', 'readyz'] });
  app.enableShutdownHooks();
  await app.listen(3000);
}
// #endregion
