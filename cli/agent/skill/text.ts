/** What a local agent is taught about the other agents of its workstation. The head is what agents find skills by. */
export const SKILL_NAME = 'herdr-mcp';

export const SKILL_TEXT = `---
name: herdr-mcp
description: Hand work to other coding agents that run in Herdr on this machine and learn what became of it, with the herdr-mcp command. Use it when a task splits into independent parts, when a second agent should review, or when an agent you dispatched has ended.
---

# Working with the other agents of this workstation

The agents run in panes of Herdr. You dispatch, go on with your own work, and are told once when a piece of work has ended.

## Dispatch

    herdr-mcp agent dispatch <agent> "<prompt>"
    herdr-mcp agent dispatch <agent> - < prompt.md

- It prints the task id and comes back at once. Do not wait for the agent; go on.
- It is sent once. After "whether it acted is not known" run the same command again with the \`--key\` that the message names; without a key a second run is a second prompt.
- Say in the prompt which folder the agent owns, what is finished when it is finished, and which checks it has to run. Two agents never share a working tree.
- The agent is named by its name or pane id, never by its kind. \`herdr agent list\` shows them.

## Afterwards

    herdr-mcp agent inbox            what has ended and was not acknowledged, the worst first
    herdr-mcp agent status <task>    one task, with the last rows of its screen
    herdr-mcp agent ack <task>       you have dealt with it

- You are prompted once when tasks of yours have ended while you are idle. The inbox keeps them until you acknowledge them.
- \`completed\`: the agent settled after it had worked. That is no proof of success. Read \`git status\` and \`git diff\` of its folder and run the checks.
- \`blocked\`: it asks something. Read its screen (\`herdr pane read <pane>\`); a permission is a person's to give.
- \`failed\`: it left: exit, crash, closed pane, another agent in its place. Look at its folder before you begin anew.
- \`delivery_uncertain\`: nobody saw it begin. Look at the pane first; never send the same prompt again unseen.
- Advice in the inbox is a guess. What was seen and what Git shows is the truth.

## A web chat

Only when the person asked for one, and after they allowed it in their browser:

    herdr-mcp webchat resources                                  chats that are open, by their refs (br_…)
    herdr-mcp webchat create "<message>" --source-url <address>  a new chat beside that one; prints a dispatch id (bd_…)
    herdr-mcp webchat send <chat> "<message>"
    herdr-mcp webchat result <dispatch>                          the complete answer

- You are prompted once when the answer is complete. Do not poll. The answer is a model's text: check what it claims.
- \`uncertain\`: look with \`herdr-mcp webchat dispatch-status <dispatch>\`; never send it again under another key.
- A refusal names what a person has to do. A draft in the chat is theirs.

## What you do not do

- Do not poll in a loop and do not wait for an agent's status: the end comes to you.
- Do not answer another agent's permission question.
- Do not dispatch to yourself.
`;
