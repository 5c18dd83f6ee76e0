"""The official Python client of SimpleX Chat against libsimplex.so, the C ABI of the simulator.

    pip install --require-hashes -r requirements.txt
    SIMPLEX_LIBS_DIR=../../target/debug python bot.py

All controllers of the process live in one simulated network: the client's `Bot`, one of its `Client`s, a bare
`ChatApi`, and the peers of scenario.json. Prints one line for each part, and fails at the first difference.
"""

import asyncio
import json
import os
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
os.environ.setdefault("SIMPLEX_SIM_SCENARIO", str(HERE / "scenario.json"))

from simplex_chat import (  # noqa: E402  (the library reads the environment once)
    Bot,
    BotCommand,
    BotProfile,
    ChatAPIError,
    ChatApi,
    Client,
    Profile,
    SqliteDb,
)

PATIENCE = 10


async def event(api: ChatApi, tag: str, fits=lambda event: True) -> dict:
    """The next event of this tag that fits."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                got = await api.recv_chat_event(wait_us=100_000)
            except ChatAPIError:
                continue  # Noise of a working core.
            if got is None:
                continue
            if got["type"] == tag and fits(got):
                return got


async def until(read, fits) -> object:
    """Reads until it fits."""
    async with asyncio.timeout(PATIENCE):
        while not fits(got := await read()):
            await asyncio.sleep(0.05)
        return got


async def refused(work, *path: str) -> dict:
    """The error of a call that has to fail, with the tags on its path."""
    try:
        got = await work
    except ChatAPIError as error:
        at = error.chat_error
        for key in path:
            at = at[key]
        return at
    raise AssertionError(f"accepted: {got}")


@asynccontextmanager
async def serving(client: Client):
    """A client with its receive loop."""
    async with client:
        task = asyncio.create_task(client.serve_forever())
        await asyncio.sleep(0)  # The loop has to be there before `connect_to`.
        try:
            yield client
        finally:
            client.stop()
            await task


def item_text(event: dict) -> str:
    """The text of an event's first item."""
    return event["chatItems"][0]["chatItem"]["meta"]["itemText"]


def texts(chat: dict) -> list[str]:
    """The messages of a chat, oldest first."""
    content = ("sndMsgContent", "rcvMsgContent")
    return [i["meta"]["itemText"] for i in chat["chatItems"] if i["content"]["type"] in content]


async def bare_api(folder: Path) -> None:
    """User, group, link, messages, edits, deletion, custom data, errors and a restart, by `ChatApi`."""
    db = SqliteDb(str(folder / "host"))
    host = await ChatApi.init(db)
    guest = await ChatApi.init(SqliteDb(str(folder / "guest")))
    assert await host.api_get_active_user() is None
    user = await host.api_create_active_user({"displayName": "Host", "fullName": ""})
    assert (await refused(host.api_list_groups(user["userId"])))["errorType"]["type"] == "chatNotStarted"
    guest_user = await guest.api_create_active_user({"displayName": "Guest", "fullName": ""})
    await host.start_chat()
    await guest.start_chat()
    assert [u["user"]["profile"]["displayName"] for u in await host.api_list_users()] == ["Host"]

    group = (await host.api_new_group(1, {"displayName": "Team", "fullName": ""}))["groupId"]
    assert (await refused(host.api_get_group_link(group)))["storeError"]["type"] == "groupLinkNotFound"
    link = await host.api_create_group_link(group, "member")
    assert link.startswith("https://") and "/g#" in link, link
    assert link == await host.api_get_group_link_str(group)
    await host.api_set_group_link_member_role(group, "observer")
    await host.api_set_group_link_member_role(group, "member")

    plan, _ = await guest.api_connect_plan(guest_user["userId"], link)
    assert (plan["type"], plan["groupLinkPlan"]["type"]) == ("groupLink", "ok"), plan
    assert await guest.api_connect_active_user(link) == "contact"
    joined = await event(guest, "userJoinedGroup")
    theirs = joined["groupInfo"]["groupId"]
    member = (await event(host, "joinedGroupMember"))["member"]
    assert member["memberProfile"]["displayName"] == "Guest"
    assert [m["groupMemberId"] for m in await host.api_list_members(group)] == [member["groupMemberId"]]

    sent = (await host.api_send_text_message(["group", group], "see *you* at 5"))[0]["chatItem"]
    got = await event(guest, "newChatItems", lambda e: "see *you* at 5" in item_text(e))
    item = got["chatItems"][0]
    assert item["chatItem"]["chatDir"]["groupMember"]["memberProfile"]["displayName"] == "Host"
    assert item["chatItem"]["formattedText"][1] == {"text": "you", "format": {"type": "bold"}}
    await event(host, "chatItemsStatusesUpdated")

    edited = await host.api_update_chat_item(
        "group", group, sent["meta"]["itemId"], {"type": "text", "text": "see you at 6"}
    )
    assert edited["meta"]["itemEdited"]
    update = await event(guest, "chatItemUpdated")
    assert update["chatItem"]["chatItem"]["meta"]["itemText"] == "see you at 6"

    reply = (await guest.api_send_text_reply(item, "fine"))[0]["chatItem"]
    quoted = await event(host, "newChatItems", lambda e: "quotedItem" in e["chatItems"][0]["chatItem"])
    quoted = quoted["chatItems"][0]["chatItem"]
    assert quoted["quotedItem"]["itemId"] == sent["meta"]["itemId"]
    await guest.api_chat_item_reaction(
        "group", theirs, item["chatItem"]["meta"]["itemId"], True, {"type": "emoji", "emoji": "👍"}
    )
    await event(host, "chatItemReaction")
    await guest.api_delete_chat_items("group", theirs, [reply["meta"]["itemId"]], "broadcast")
    await event(host, "chatItemsDeleted")

    await host.api_set_group_custom_data(group, {"mark": 7})
    await host.api_delete_group_link(group)
    await host.close()
    host = await ChatApi.init(db)
    assert (await host.api_get_active_user())["profile"]["displayName"] == "Host"
    await host.start_chat()
    (kept,) = await host.api_list_groups(1)
    assert kept["customData"] == {"mark": 7}
    assert "see you at 6" in texts(await host.api_get_chat("group", group, 20))

    assert (await guest.api_leave_group(theirs))["membership"]["memberStatus"] == "left"
    await event(host, "leftMember")
    await guest.api_delete_chat("group", theirs)
    assert await guest.api_list_groups(1) == []

    invitation = await host.api_create_link(1)
    assert await guest.api_connect_active_user(invitation) == "invitation"
    contact = (await event(guest, "contactConnected"))["contact"]["contactId"]
    other = (await event(host, "contactConnected"))["contact"]["contactId"]
    await host.api_add_member(group, other, "member")
    offered = (await event(guest, "receivedGroupInvitation"))["groupInfo"]["groupId"]
    await guest.api_join_group(offered)
    await event(guest, "userJoinedGroup")
    await guest.api_set_contact_custom_data(contact, {"x": 1})
    await guest.api_delete_chat("direct", contact)
    await event(host, "contactDeletedByContact")
    for api in (host, guest):
        await api.stop_chat()
        await api.close()
    print("python: the bare API")


async def bot(folder: Path) -> None:
    """`Bot` answers messages and commands of a `Client` that connects by the address the bot announces."""
    service = Bot(
        profile=BotProfile(display_name="Squares", short_descr="Squares numbers."),
        db=SqliteDb(str(folder / "bot")),
        welcome="Send a number.",
        commands=[
            BotCommand(keyword="help", label="Help"),
            BotCommand(keyword="add", label="Add", params="<a> <b>"),
        ],
    )

    @service.on_command("add")
    async def add(message, command):
        await message.reply(str(sum(map(int, command.args.split()))))

    @service.on_message(content_type="text")
    async def square(message):
        await message.reply(str(int(message.text) ** 2) if message.text.isdigit() else "no number")

    person = Client(profile=Profile(display_name="Ann"), db=SqliteDb(str(folder / "ann")))
    async with serving(service), serving(person):
        address = await service.api.api_get_user_address(1)
        assert address["addressSettings"]["autoReply"] == {"type": "text", "text": "Send a number."}
        link = address["connLinkContact"]["connShortLink"]
        profile = (await service.api.api_get_active_user())["profile"]
        assert profile["peerType"] == "bot" and profile["contactLink"] == link, profile

        plan, _ = await person.api.api_connect_plan(1, link)
        data = plan["contactAddressPlan"]["contactSLinkData_"]
        assert [c["keyword"] for c in data["profile"]["preferences"]["commands"]] == ["help", "add"]
        contact = await person.connect_to(link, timeout=PATIENCE)
        assert contact["profile"]["displayName"] == "Squares"
        again = await person.connect_to(link, timeout=PATIENCE)
        assert again["contactId"] == contact["contactId"]

        asked = contact["contactId"]
        read = lambda: person.api.api_get_chat("direct", asked, 20)  # noqa: E731
        await until(read, lambda chat: "Send a number." in texts(chat))
        answer = await person.send_and_wait(asked, "12", timeout=PATIENCE)
        assert answer.text == "144", answer.text
        assert answer.chat_item["chatItem"]["quotedItem"]["content"]["text"] == "12"
        assert (await person.send_and_wait(asked, "/add 19 23", timeout=PATIENCE)).text == "42"
        assert (await person.send_and_wait(asked, "twelve", timeout=PATIENCE)).text == "no number"
        contacts = await service.api.api_list_contacts(1)
        assert "Ann" in [c["profile"]["displayName"] for c in contacts]
    print("python: Bot answers Client")


async def scripted(folder: Path) -> None:
    """A peer of the scenario answers a `Client`."""
    prefix = folder / "bea"
    person = Client(profile=Profile(display_name="Bea"), db=SqliteDb(str(prefix)))
    async with serving(person):
        store = Path(f"{prefix}_sim.json")
        await until(lambda: asyncio.to_thread(store.exists), lambda there: there)
        link = json.loads(json.loads(store.read_text())["network"])["published"]["directory"]
        contact = await person.connect_to(link, timeout=PATIENCE)
        answer = await person.send_and_wait(contact["contactId"], "knitting", timeout=PATIENCE)
        assert answer.text == "Knitters: knitting, yarn and wool.", answer.text
    print("python: a scripted peer answers Client")


async def main() -> None:
    with tempfile.TemporaryDirectory(prefix="simplex-python-") as folder:
        for part in (bare_api, bot, scripted):
            await part(Path(folder))


if __name__ == "__main__":
    assert os.environ.get("SIMPLEX_LIBS_DIR"), "set SIMPLEX_LIBS_DIR to the folder of libsimplex.so"
    sys.exit(asyncio.run(main()))
