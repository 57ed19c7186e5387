// Speaking in one open issue, whose first post is the newest report of a workflow and job; whoever follows it hears of news only.
import type { RunPlan } from '../../../schema/gate.ts';
import { isRefusal } from '../../api.ts';
import { hasMarker, parseMarker, renderMarked } from '../../marker.ts';
import { allOf, onceOnly, orGone, type Place, type RestComment, toComment } from './place.ts';
import type { Channel, ChannelComment } from './port.ts';

export interface Report {
  /** Of an issue that has to be made. */
  readonly title: string;
  readonly threadKey: string;
  readonly self: Pick<RunPlan['self'], 'login' | 'id'>;
}

/** The id of a comment here is the number of the issue. */
export function openReport({ title, threadKey, self }: Report, place: Place): Channel {
  const { api, repository, egress } = place;
  const isOurs = ({ authorId, body }: ChannelComment): boolean => {
    const marker = parseMarker(body);
    return authorId === self.id && marker?.kind === 'report' && marker.origin?.thread === threadKey;
  };

  /** The oldest first. */
  async function list(signal: AbortSignal): Promise<readonly ChannelComment[]> {
    // GitHub lists an app's issues under its name with the ending only.
    const parameters = { ...repository, state: 'open', creator: self.login, sort: 'created', direction: 'asc' } as const;
    const pages = api.pages('GET /repos/{owner}/{repo}/issues', parameters, signal);
    const issues = (await allOf(pages)).filter((issue) => issue.pull_request === undefined);
    return issues.map(toReport).filter(isOurs);
  }

  async function change(number: number, body: string, signal: AbortSignal, isOnce?: boolean): Promise<ChannelComment | null> {
    const parameters = { ...repository, issue_number: number, body: egress(body), ...onceOnly(isOnce) };
    const answer = await orGone(api.rest('PATCH /repos/{owner}/{repo}/issues/{issue_number}', parameters, signal));
    return answer === null ? null : toReport(answer.data);
  }

  /** An issue is nothing that we may delete; a second one of the same report is closed. */
  async function remove(number: number, signal: AbortSignal): Promise<void> {
    const parameters = { ...repository, issue_number: number, state: 'closed', state_reason: 'not_planned' } as const;
    await orGone(api.rest('PATCH /repos/{owner}/{repo}/issues/{issue_number}', parameters, signal));
  }

  /** Before the report is changed: whoever dies in between says it once, and whoever is told late finds the newest report. */
  async function tellNews(number: number, body: string, signal: AbortSignal): Promise<void> {
    const trigger = parseMarker(body)?.trigger ?? '';
    const marker = { trigger, kind: 'reply' } as const;
    const route = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
    for await (const page of api.pages(`GET ${route}`, { ...repository, issue_number: number }, signal)) {
      if (page.some(({ user, body: told }) => Number(user?.id) === self.id && hasMarker(told ?? '', marker))) return;
    }
    const text = renderMarked(marker, 'The report above says something new.');
    await api.rest(`POST ${route}`, { ...repository, issue_number: number, body: text }, signal);
  }

  return {
    replyKind: 'report',
    list: (_since, signal) => list(signal),
    async create(body, signal) {
      const [standing, ...others] = await list(signal);
      if (standing !== undefined) {
        const isNews = parseMarker(standing.body)?.says !== parseMarker(body)?.says;
        if (isNews) await orRefused(tellNews(standing.number, body, signal));
        const changed = await change(standing.number, body, signal);
        // Two runs at the same time may have made one each.
        for (const { number } of others) await remove(number, signal);
        if (changed !== null) return changed;
      }
      const parameters = { ...repository, title: egress(title), body: egress(body) };
      const { data } = await api.rest('POST /repos/{owner}/{repo}/issues', parameters, signal);
      return toReport(data);
    },
    change: (id, body, signal, isOnce) => change(Number(id), body, signal, isOnce),
    remove: (id, signal) => remove(Number(id), signal),
  };
}

/** A conversation that is locked takes no news, and the report is what counts. */
async function orRefused(telling: Promise<void>): Promise<void> {
  try {
    await telling;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

function toReport(issue: RestComment & { readonly number: number }): ChannelComment {
  return { ...toComment(issue), id: issue.number, number: issue.number };
}
