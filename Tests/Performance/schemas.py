"""Compares `plugboard exec` (op bench) with jsonschema-rs and jsonschema on the same documents, in one run.

Times are the best of several passes on one thread. The Python packages check Python objects; what it costs to make
those objects is counted as parsing, as the parsing of Plugboard is.
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

import jsonschema
import jsonschema_rs
import orjson

random.seed(7)
CASES = {}


def w(name, schema, documents):
    CASES[name] = (schema, documents)


# small records
S={"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["id","name","email","tags"],"properties":{"id":{"type":"integer","minimum":1},"name":{"type":"string","minLength":1,"maxLength":80},"email":{"type":"string","pattern":"^[^@]+@[^@]+$"},"role":{"enum":["admin","user","guest"]},"active":{"type":"boolean"},"score":{"type":"number","minimum":0,"maximum":100},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":True,"maxItems":20},"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"},"zip":{"type":"string","pattern":"^[0-9]{5}$"}},"required":["city"],"additionalProperties":False}},"additionalProperties":False}
docs=[]
for i in range(2000):
    d={"id":i+1,"name":f"name {i}","email":f"u{i}@example.com","role":random.choice(["admin","user","guest"]),"active":bool(i%2),"score":round(random.random()*100,2),"tags":random.sample(["a","b","c","dd","ee","ff","gg"],4),"address":{"street":"Main 1","city":"Town","zip":"12345"}}
    if i%20==0: d["score"]=101
    docs.append(d)
w('records',S,docs)
# geojson
pos={"type":"array","minItems":2,"items":{"type":"number"}}
G={"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"position":pos,"ring":{"type":"array","minItems":4,"items":{"$ref":"#/definitions/position"}},
"geometry":{"oneOf":[{"type":"object","required":["type","coordinates"],"properties":{"type":{"enum":["Point"]},"coordinates":{"$ref":"#/definitions/position"}}},{"type":"object","required":["type","coordinates"],"properties":{"type":{"enum":["LineString"]},"coordinates":{"type":"array","minItems":2,"items":{"$ref":"#/definitions/position"}}}},{"type":"object","required":["type","coordinates"],"properties":{"type":{"enum":["Polygon"]},"coordinates":{"type":"array","items":{"$ref":"#/definitions/ring"}}}}]}},
"type":"object","required":["type","features"],"properties":{"type":{"const":"FeatureCollection"},"features":{"type":"array","items":{"type":"object","required":["type","geometry","properties"],"properties":{"type":{"const":"Feature"},"geometry":{"$ref":"#/definitions/geometry"},"properties":{"type":["object","null"]}}}}}}
docs=[]
for k in range(20):
    fs=[]
    for i in range(100):
        ring=[[round(random.uniform(-180,180),6),round(random.uniform(-90,90),6)] for _ in range(50)]
        fs.append({"type":"Feature","properties":{"n":i},"geometry":{"type":"Polygon","coordinates":[ring]}})
    docs.append({"type":"FeatureCollection","features":fs})
w('geojson',G,docs)
# unevaluated and allOf
U={"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"base":{"type":"object","properties":{"id":{"type":"integer"},"created":{"type":"string"}},"required":["id"]}},"allOf":[{"$ref":"#/$defs/base"}],"anyOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"number"}},"required":["kind","x"]},{"properties":{"kind":{"const":"b"},"y":{"type":"string"}},"required":["kind","y"]}],"properties":{"note":{"type":"string"}},"unevaluatedProperties":False}
docs=[]
for i in range(3000):
    d={"id":i,"created":"now","note":"n"}
    if i%2: d.update(kind="a",x=1.5)
    else: d.update(kind="b",y="s")
    if i%50==0: d["extra"]=1
    docs.append(d)
w('unevaluated',U,docs)
# recursive
T={"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://e.x/tree","type":"object","properties":{"value":{"type":"integer"},"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}},"required":["value"],"additionalProperties":False}
def tree(d): return {"value":d,"name":"n","children":[tree(d-1) for _ in range(3)] if d else []}
w('recursive',T,[tree(6) for _ in range(20)])
# metaschema over schemas: 2020-12 with dynamicRef
w('meta',{"$ref":"https://json-schema.org/draft/2020-12/schema"},[S,U,T]*100)
w('meta7',{"$ref":"http://json-schema.org/draft-07/schema#","$schema":"http://json-schema.org/draft-07/schema#"},[G]*300)
# map of patterns, citm-like
C={"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","patternProperties":{"^[0-9]+$":{"type":"object","required":["id","name"],"properties":{"id":{"type":"integer"},"name":{"type":"string"},"logo":{"type":["string","null"]},"subTopicIds":{"type":"array","items":{"type":"integer"}},"prices":{"type":"array","items":{"type":"object","properties":{"amount":{"type":"integer","minimum":0},"audience":{"type":"integer"},"seat":{"type":"integer"}},"required":["amount"]}}}},"^x-":{}},"additionalProperties":False}
docs=[{str(100000+j):{"id":j,"name":"event name %d"%j,"logo":None if j%3 else "/images/x.png","subTopicIds":[337184269,337184283],"prices":[{"amount":90250,"audience":324846098,"seat":338937295} for _ in range(3)]} for j in range(500)} for _ in range(10)]
w('catalog',C,docs)
# kubernetes-like with enums, formats off, dependentRequired
E={"type":"array","items":{"type":"object","properties":{"op":{"enum":["add","remove","replace","move","copy","test","noop","merge"]},"path":{"type":"string","maxLength":200},"from":{"type":"string"},"value":True},"required":["op","path"],"if":{"properties":{"op":{"enum":["move","copy"]}}},"then":{"required":["from"]},"else":{"not":{"required":["from"]}},"dependentRequired":{"from":["path"]}}}
docs=[[{"op":random.choice(["add","remove","replace","merge"]),"path":"/a/b/%d"%i,"value":i} if i%3 else {"op":"move","path":"/a","from":"/b"} for i in range(200)] for _ in range(20)]
w('patch',E,docs)


def best(work, passes=7):
    times = []
    for _ in range(passes):
        start = time.perf_counter()
        result = work()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times), result


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    plugboard = subprocess.Popen([sys.argv[1], "exec"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    folder = tempfile.mkdtemp()
    ratios, python, totals = [], [], []
    print("| documents | Plugboard | jsonschema-rs | jsonschema | rs ÷ Plugboard | parsing | orjson | json |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, (schema, documents) in CASES.items():
        lines = [json.dumps(document) for document in documents]
        schema_file, instances = os.path.join(folder, name + ".schema"), os.path.join(folder, name + ".jsonl")
        with open(schema_file, "w") as file:
            json.dump(schema, file)
        with open(instances, "w") as file:
            file.write("\n".join(lines))
        request = {"id": name, "op": "bench", "schema_file": schema_file, "instances_file": instances, "repeat": 15}
        plugboard.stdin.write(json.dumps(request) + "\n")
        plugboard.stdin.flush()
        reply = json.loads(plugboard.stdout.readline())
        own, parsing = min(reply["pass_ms"]), reply["parse_ms"]
        validator = jsonschema_rs.validator_for(schema)
        rust, valid = best(lambda: sum(map(validator.is_valid, documents)))
        assert valid == reply["valid"], (name, valid, reply["valid"])
        slow = jsonschema.validators.validator_for(schema)(schema)
        some = documents[: max(1, len(documents) // 20)]
        pure, _ = best(lambda: [slow.is_valid(document) for document in some], 1)
        pure *= len(documents) / len(some)
        texts = [line.encode() for line in lines]
        fast, _ = best(lambda: [orjson.loads(text) for text in texts], 3)
        plain, _ = best(lambda: [json.loads(text) for text in texts], 3)
        ratios.append(rust / own)
        python.append(pure / own)
        totals.append((fast + rust) / (parsing + own))
        print(
            f"| {name} | {own:.2f} ms | {rust:.2f} ms | {pure:.0f} ms | {rust / own:.2f} "
            f"| {parsing:.2f} ms | {fast:.2f} ms | {plain:.2f} ms |"
        )
    plugboard.stdin.close()
    print(f"\nGeometric means: jsonschema-rs takes {mean(ratios):.2f} times as long, jsonschema {mean(python):.0f} times;")
    print(f"orjson and jsonschema-rs together take {mean(totals):.2f} times as long as parsing and checking.")


main()
